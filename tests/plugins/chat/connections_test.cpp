// Connections: used again, and encrypted.
#include <openssl/ssl.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "asker.h"

namespace compeer {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using server::Seen;
using server::Server;
using server::Wire;

TEST(Connections, AreUsedAgain) {
  Server server([](const Seen& seen) { return server::answer_and_stay("re: " + server::asked(seen)); });
  const auto replies = Asker().ask(Asker::openai(server, {{"concurrent", 1}}), Asker::questions(30));
  EXPECT_EQ(replies[29].text, "re: question 29");
  EXPECT_EQ(server.requests(), 30u);
  EXPECT_EQ(server.connections(), 1u);
}

TEST(Connections, AreNoMoreThanRequestsAtOnce) {
  Server server([](const Seen&) { return server::answer_and_stay("fine"); });
  Asker().ask(Asker::openai(server, {{"concurrent", 4}}), Asker::questions(40));
  EXPECT_EQ(server.requests(), 40u);
  EXPECT_LE(server.connections(), 4u);
}

TEST(Connections, AreMadeAnewWhereTheEndpointClosedThem) {
  // Every third answer says that more may be asked here, and then nobody listens any more.
  Server server([](const Seen& seen) {
    auto act = server::answer_and_stay("fine");
    act.keep = seen.number % 3 != 2;
    return act;
  });
  for (const auto& reply : Asker().ask(Asker::openai(server, {{"concurrent", 1}}), Asker::questions(12)))
    EXPECT_EQ(reply.text, "fine") << reply.failure;
  EXPECT_GE(server.connections(), 4u);
}

using ServerSide = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;
using Session = std::unique_ptr<SSL, decltype(&SSL_free)>;

class Encrypted : public Wire {
 public:
  Encrypted(int socket, Session session) : Wire(socket), session_(std::move(session)) {}
  ssize_t receive(char* data, size_t size) override { return SSL_read(session_.get(), data, static_cast<int>(size)); }
  ssize_t send(const char* data, size_t size) override {
    return SSL_write(session_.get(), data, static_cast<int>(size));
  }
  bool holds() override { return SSL_has_pending(session_.get()) != 0; }

 private:
  Session session_;
};

/// A key and a certificate that vouches for itself, for one name.
class Tls : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("openssl version >/dev/null 2>&1") != 0) GTEST_SKIP() << "the program openssl is not installed";
    std::signal(SIGPIPE, SIG_IGN);  // a client that goes away is an error of SSL_write
    folder_ = fs::path(testing::TempDir()) / ("tls_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  std::string file(const std::string& name) const { return (folder_ / name).string(); }

  void certify(const std::string& name) const {
    const std::string command =
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
        " -subj /CN=test -addext subjectAltName=" +
        name + " -keyout '" + file("key.pem") + "' -out '" + file("certificate.pem") + "' 2>/dev/null";
    ASSERT_EQ(std::system(command.c_str()), 0);
  }

  Server::Wrap wrap() {
    side_.reset(SSL_CTX_new(TLS_server_method()));
    EXPECT_EQ(SSL_CTX_use_certificate_file(side_.get(), file("certificate.pem").c_str(), SSL_FILETYPE_PEM), 1);
    EXPECT_EQ(SSL_CTX_use_PrivateKey_file(side_.get(), file("key.pem").c_str(), SSL_FILETYPE_PEM), 1);
    return [this](int fd) -> std::unique_ptr<Wire> {
      Session session(SSL_new(side_.get()), SSL_free);
      SSL_set_fd(session.get(), fd);
      const bool agreed = SSL_accept(session.get()) == 1;
      auto wire = std::make_unique<Encrypted>(fd, std::move(session));
      return agreed ? std::move(wire) : nullptr;
    };
  }

  // What a client is told whom the certificate does not convince. Nothing may have been asked, nor tried again.
  Error refusal(const json& more) {
    Server server([](const Seen&) { return server::answer("never"); }, wrap());
    json settings = Asker::openai(server, more);
    settings["url"] = server.url("https");
    Asker asker;
    const Error error = error_of([&] { asker.ask(settings, "q"); });
    EXPECT_EQ(error.exit(), Exit::plugin);
    EXPECT_NE(error.problem().find(server.url("https")), std::string::npos) << error.what();
    EXPECT_EQ(error.help(), "a certificate of your own is trusted if the setting 'authorities' names its file");
    EXPECT_EQ(server.requests(), 0u);
    EXPECT_LE(server.connections(), 1u);
    return error;
  }

  ServerSide side_{nullptr, SSL_CTX_free};

 private:
  fs::path folder_;
};

TEST_F(Tls, AnEndpointIsTrustedThatAuthoritiesVouchFor) {
  certify("IP:127.0.0.1");
  Server server([](const Seen& seen) { return server::answer_and_stay("re: " + server::asked(seen)); }, wrap());
  json settings = Asker::openai(server, {{"authorities", file("certificate.pem")}, {"concurrent", 1}});
  settings["url"] = server.url("https");
  const auto replies = Asker().ask(settings, Asker::questions(10));
  EXPECT_EQ(replies[9].text, "re: question 9");
  EXPECT_EQ(server.connections(), 1u);
}

TEST_F(Tls, ACertificateNobodyVouchesForIsRefused) {
  certify("IP:127.0.0.1");
  const auto error = refusal({});
  EXPECT_NE(error.problem().find("SSL certificate problem: self-signed certificate"), std::string::npos)
      << error.what();
}

TEST_F(Tls, ACertificateOfAnotherNameIsRefused) {
  certify("DNS:elsewhere.example");
  const auto error = refusal({{"authorities", file("certificate.pem")}});
  EXPECT_NE(error.problem().find("127.0.0.1"), std::string::npos) << error.what();
}

TEST_F(Tls, AFileWithoutCertificatesIsNamed) {
  certify("IP:127.0.0.1");
  const auto error = refusal({{"authorities", file("key.pem")}});
  EXPECT_NE(error.problem().find(file("key.pem")), std::string::npos) << error.what();
}

}  // namespace

}  // namespace compeer
