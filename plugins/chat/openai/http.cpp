// Concurrent HTTP requests with libcurl.
#include "openai/http.h"

#include <curl/curl.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>
#include <stdexcept>

namespace compeer::openai {

namespace {

using Clock = std::chrono::steady_clock;

template <auto close>
struct Closes {
  template <class Handle>
  void operator()(Handle* handle) const {
    close(handle);
  }
};
// CURL, CURLM and CURLU are `void` in libcurl's headers.
using Easy = std::unique_ptr<CURL, Closes<&curl_easy_cleanup>>;
using Multi = std::unique_ptr<CURLM, Closes<&curl_multi_cleanup>>;
using List = std::unique_ptr<curl_slist, Closes<&curl_slist_free_all>>;
using Url = std::unique_ptr<CURLU, Closes<&curl_url_cleanup>>;

// Thread-safe, also with other users of libcurl in the process.
void start_libcurl() {
  static const CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (code != CURLE_OK) throw std::runtime_error(std::string("libcurl can't start: ") + curl_easy_strerror(code));
}

std::string part(const Url& url, CURLUPart which) {
  char* text = nullptr;
  if (curl_url_get(url.get(), which, &text, 0) != CURLUE_OK) return {};
  std::string copy = text;
  curl_free(text);
  return copy;
}

// True for errors that a retry can't fix: certificates that are not trusted.
bool is_hopeless(CURLcode code) { return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE; }

struct Transfer {
  size_t id;
  std::string body, answer;
  Easy easy;
  char error[CURL_ERROR_SIZE] = {};
  std::optional<Milliseconds> retry_after;  // from retry-after-ms
  uint64_t largest;
  Clock::time_point last;
  bool begun = false, too_large = false;
};

size_t on_body(char* data, size_t, size_t size, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  if (transfer.answer.size() + size > transfer.largest) {
    transfer.too_large = true;
    return 0;
  }
  transfer.answer.append(data, size);
  transfer.last = Clock::now();
  transfer.begun = true;
  return size;
}

size_t on_header(char* data, size_t, size_t size, void* user) {
  std::string line(data, size);
  std::transform(line.begin(), line.end(), line.begin(), [](unsigned char c) { return std::tolower(c); });
  constexpr std::string_view name = "retry-after-ms:";
  if (line.starts_with(name)) {
    const double wait = std::strtod(line.c_str() + name.size(), nullptr);
    if (wait >= 0 && wait < 1e9) static_cast<Transfer*>(user)->retry_after = Milliseconds(static_cast<int64_t>(wait));
  }
  return size;
}

}  // namespace

Address::Address(const std::string& text) : url(text) {
  start_libcurl();
  const Url parsed(curl_url());
  if (curl_url_set(parsed.get(), CURLUPART_URL, text.c_str(), 0) != CURLUE_OK) {
    throw std::runtime_error("url: is not a URL that begins with http:// or https://");
  }
  const auto scheme = part(parsed, CURLUPART_SCHEME), host = part(parsed, CURLUPART_HOST);
  if (scheme != "http" && scheme != "https") throw std::runtime_error("url: must begin with http:// or https://");
  if (!part(parsed, CURLUPART_USER).empty() || !part(parsed, CURLUPART_PASSWORD).empty()) {
    throw std::runtime_error("url: contains a user name or password, which would be stored in the spec: use key_env");
  }
  if (!part(parsed, CURLUPART_QUERY).empty()) {
    throw std::runtime_error("url: has a part after '?', which would be stored in the spec: use key_env for keys");
  }
  secure = scheme == "https";
  loopback = host == "localhost" || host == "[::1]" || host.starts_with("127.");
}

struct Posts::State {
  explicit State(Post what) : post(std::move(what)) {
    start_libcurl();
    multi.reset(curl_multi_init());
    if (!multi) throw std::bad_alloc();
    for (const auto& header : post.headers) {
      curl_slist* longer = curl_slist_append(headers.get(), header.c_str());
      if (!longer) throw std::bad_alloc();
      (void)headers.release();
      headers.reset(longer);
    }
  }
  ~State() { drop(); }

  void drop() {
    for (auto& [easy, transfer] : transfers) curl_multi_remove_handle(multi.get(), easy);
    transfers.clear();
  }

  template <class Value>
  static void set(Transfer& transfer, CURLoption option, Value value) {
    const CURLcode code = curl_easy_setopt(transfer.easy.get(), option, value);
    if (code != CURLE_OK) throw std::runtime_error(std::string("libcurl: ") + curl_easy_strerror(code));
  }

  void prepare(Transfer& t) {
    set(t, CURLOPT_URL, post.url.c_str());
    set(t, CURLOPT_PROTOCOLS_STR, "http,https");
    set(t, CURLOPT_FOLLOWLOCATION, 0L);  // a redirect would send the key elsewhere
    set(t, CURLOPT_NOSIGNAL, 1L);
    set(t, CURLOPT_HTTPHEADER, headers.get());
    set(t, CURLOPT_POST, 1L);
    set(t, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(t.body.size()));
    set(t, CURLOPT_POSTFIELDS, t.body.data());
    set(t, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(post.connect.count()));
    set(t, CURLOPT_TIMEOUT_MS, static_cast<long>(post.whole.count()));
    set(t, CURLOPT_ERRORBUFFER, t.error);
    set(t, CURLOPT_ACCEPT_ENCODING, "");  // all encodings this libcurl supports
    set(t, CURLOPT_WRITEFUNCTION, &on_body);
    set(t, CURLOPT_WRITEDATA, static_cast<void*>(&t));
    set(t, CURLOPT_HEADERFUNCTION, &on_header);
    set(t, CURLOPT_HEADERDATA, static_cast<void*>(&t));
    if (post.direct) set(t, CURLOPT_PROXY, "");
    if (!post.authorities.empty()) set(t, CURLOPT_CAINFO, post.authorities.c_str());
  }

  HttpResult end(CURL* easy, std::string broken, bool hopeless = false) {
    auto transfer = std::move(transfers.at(easy));
    transfers.erase(easy);
    curl_multi_remove_handle(multi.get(), easy);
    HttpResult ended{.id = transfer->id,
                     .status = 0,
                     .body = std::move(transfer->answer),
                     .retry_after = transfer->retry_after,
                     .error = std::move(broken),
                     .too_large = transfer->too_large,
                     .is_permanent = hopeless};
    long status = 0;
    curl_off_t seconds = 0;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(easy, CURLINFO_RETRY_AFTER, &seconds);
    ended.status = status;
    if (!ended.retry_after && seconds > 0)
      ended.retry_after = Milliseconds(std::min<curl_off_t>(seconds, 86400) * 1000);
    return ended;
  }

  void finished(std::vector<HttpResult>& all) {
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi.get(), &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      const CURLcode code = message->data.result;
      CURL* easy = message->easy_handle;
      const char* said = transfers.at(easy)->error;
      std::string broken;
      if (code != CURLE_OK) broken = *said ? said : curl_easy_strerror(code);
      all.push_back(end(easy, std::move(broken), is_hopeless(code)));
    }
  }

  void stalled(std::vector<HttpResult>& all) {
    std::vector<CURL*> late;
    for (const auto& [easy, transfer] : transfers) {
      if (transfer->begun && Clock::now() - transfer->last > post.stall) late.push_back(easy);
    }
    for (CURL* easy : late) {
      all.push_back(end(easy, "no more data of the answer for " + std::to_string(post.stall.count()) + " ms"));
    }
  }

  Post post;
  List headers;
  Multi multi;
  std::map<CURL*, std::unique_ptr<Transfer>> transfers;
};

Posts::Posts(Post post) : state_(std::make_unique<State>(std::move(post))) {}
Posts::~Posts() = default;

void Posts::start(size_t id, std::string body) {
  auto transfer = std::make_unique<Transfer>();
  transfer->id = id;
  transfer->body = std::move(body);
  transfer->largest = state_->post.largest;
  transfer->easy.reset(curl_easy_init());
  if (!transfer->easy) throw std::bad_alloc();
  state_->prepare(*transfer);
  CURL* easy = transfer->easy.get();
  state_->transfers.emplace(easy, std::move(transfer));
  curl_multi_add_handle(state_->multi.get(), easy);
}

void Posts::drop() { state_->drop(); }

size_t Posts::active() const { return state_->transfers.size(); }

std::vector<HttpResult> Posts::wait(Milliseconds longest) {
  std::vector<HttpResult> all;
  const auto until = Clock::now() + longest;
  while (true) {
    int running = 0;
    curl_multi_perform(state_->multi.get(), &running);
    state_->finished(all);
    state_->stalled(all);
    const auto left = std::chrono::duration_cast<Milliseconds>(until - Clock::now()).count();
    if (!all.empty() || left <= 0) return all;
    const auto slice = std::min<int64_t>(left, std::max<int64_t>(1, state_->post.stall.count() / 4));
    curl_multi_poll(state_->multi.get(), nullptr, 0, static_cast<int>(slice), nullptr);
  }
}

}  // namespace compeer::openai
