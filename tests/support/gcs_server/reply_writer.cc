#include "support/gcs_server/reply_writer.h"

#include "support/gcs_server/gunzip.h"
#include "support/gcs_server/object.h"

#include <fmt/format.h>

namespace kinetic::gcs_server {
namespace {

bool IsOfReplies(const Fault& fault) {
  return fault.kind == FaultKind::kResetReply || fault.kind == FaultKind::kStallReply ||
         fault.kind == FaultKind::kTruncateReply || fault.kind == FaultKind::kFlipReply;
}

bool HasBody(int status) { return status != 204 && status != 304; }

}  // namespace

bool ReplyWriter::Send(const Reply& reply, bool with_body) {
  if (fault_ && !IsOfReplies(*fault_)) fault_.reset();
  with_body = with_body && HasBody(reply.status);
  if (!SendHead(reply, with_body)) return false;
  if (!with_body) return !closes_;
  if (!reply.content) return SendBytes(reply.body) && !closes_;
  const bool sent =
      reply.content->gunzip ? SendGunzipped(*reply.content) : SendContent(*reply.content);
  return sent && !closes_;
}

bool ReplyWriter::SendHead(const Reply& reply, bool with_body) {
  std::string head = fmt::format("HTTP/1.1 {} {}\r\n", reply.status, ReasonPhrase(reply.status));
  for (const auto& [name, value] : reply.headers) head += fmt::format("{}: {}\r\n", name, value);
  const std::uint64_t length = reply.content ? reply.content->size_bytes : reply.body.size();
  if (reply.content && reply.content->gunzip) {
    head += "Transfer-Encoding: chunked\r\n";
  } else if (HasBody(reply.status)) {
    head += fmt::format("Content-Length: {}\r\n", length);
  }
  head += closes_ ? "Connection: close\r\n" : "";
  head += "Date: " + HttpDate(date_) + "\r\n";
  head += "Server: UploadServer\r\n\r\n";
  // Sends a short body in the same segment. A second one would wait for an acknowledgement.
  return socket_.Send(head, with_body && length > 0);
}

bool ReplyWriter::SendContent(const ContentBody& content) {
  const auto send = [this](std::string_view piece) { return SendBytes(piece); };
  if (fault_) return content.content.Read(content.offset, content.size_bytes, send);
  for (const auto& run : content.content.Range(content.offset, content.size_bytes)) {
    const std::string_view bytes = run.blob->bytes();
    const bool sent = run.blob->in_file()
                          ? socket_.SendFile(run.blob->Open().get(), run.offset, run.size_bytes)
                          : SendBytes(bytes.substr(run.offset, run.size_bytes));
    if (!sent) return false;
  }
  return true;
}

bool ReplyWriter::SendGunzipped(const ContentBody& content) {
  const bool whole = Gunzip(content.content, [this](std::string_view piece) {
    return socket_.Send(fmt::format("{:x}\r\n", piece.size()), true) && SendBytes(piece) &&
           socket_.Send("\r\n", true);
  });
  return whole && socket_.Send("0\r\n\r\n");
}

bool ReplyWriter::SendBytes(std::string_view bytes) {
  if (fault_ && fault_->At() >= sent_bytes_ && fault_->At() < sent_bytes_ + bytes.size()) {
    const std::string_view before = bytes.substr(0, fault_->At() - sent_bytes_);
    bytes.remove_prefix(before.size());
    if (!socket_.Send(before)) return false;
    sent_bytes_ += before.size();
    if (fault_->kind == FaultKind::kFlipReply) {
      const char flipped = static_cast<char>(bytes.front() ^ 0x10);
      if (!socket_.Send({&flipped, 1}, bytes.size() > 1)) return false;
      ++sent_bytes_;
      bytes.remove_prefix(1);
    } else if (!Strike()) {
      return false;
    }
  }
  sent_bytes_ += bytes.size();
  return socket_.Send(bytes);
}

bool ReplyWriter::Strike() {
  if (fault_->kind == FaultKind::kResetReply) socket_.Reset();
  if (fault_->kind != FaultKind::kStallReply) return false;
  socket_.Stall(fault_->stall);
  fault_.reset();
  return true;
}

}  // namespace kinetic::gcs_server
