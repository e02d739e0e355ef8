"""An endpoint that returns the key it received. Prints its port; creates the file `asked` when it does not answer a
request.   usage: endpoint.py FOLDER"""
import http.server
import json
import pathlib
import sys


class Endpoint(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        if self.path.startswith("/silent"):
            pathlib.Path(sys.argv[1], "asked").touch()
            self.rfile.read()  # until the client disconnects
            return
        sent = "keep, said with " + str(self.headers["Authorization"])
        refused = self.path.startswith("/refuse")
        body = {"error": {"message": sent}} if refused else {
            "choices": [{"message": {"content": sent}, "finish_reason": "stop"}]}
        text = json.dumps(body).encode()
        self.send_response(401 if refused else 200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
server.handle_error = lambda *_: None  # the client may disconnect
print(server.server_port, flush=True)
server.serve_forever()
