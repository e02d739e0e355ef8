# endpoint.py ADDRESS_FILE LOG SHARE: a judge that takes 0 to 30 ms per request and answers the fraction SHARE of its
# requests with an error or half a body. An answer depends only on its question. Writes a line to LOG for each complete
# answer.
import hashlib
import json
import random
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock

address_file, log, share = sys.argv[1], sys.argv[2], float(sys.argv[3])
writing = Lock()


class Judge(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        asked = hashlib.sha256(json.dumps([body["messages"], body["seed"]]).encode()).hexdigest()
        choices = body["response_format"]["choices"]
        said = choices[int(asked, 16) % len(choices)]
        answer = {"choices": [{"message": {"role": "assistant", "content": said}, "finish_reason": "stop"}]}
        time.sleep(random.uniform(0, 0.03))
        fate = random.random() / share if share else 1
        self.send(json.dumps(answer).encode(), 500 if fate < 0.3 else 429 if fate < 0.6 else 200, half=0.6 < fate < 1)
        if fate >= 1:
            with writing, open(log, "a") as file:
                file.write(asked + "\n")

    def send(self, data, status, half):
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data[: len(data) // 2] if half else data)
        self.close_connection = half


class Server(ThreadingHTTPServer):
    request_queue_size = 512

    def handle_error(self, *_):  # the client was killed
        pass


server = Server(("127.0.0.1", 0), Judge)
with open(address_file, "w") as file:
    file.write(f"http://127.0.0.1:{server.server_port}/v1\n")
server.serve_forever()
