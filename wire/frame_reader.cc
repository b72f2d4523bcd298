#include "wire/frame_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/status.h"
#include "wire/frame.h"

namespace mayfly::wire {
namespace {

// A large message gets its full memory only after this much of it has arrived.
constexpr size_t kFirstReservation = 64 * 1024;
// Large messages are filled in steps, so that memory is touched as it is needed.
constexpr size_t kFillStep = 256 * 1024;

}  // namespace

FrameReader::FrameReader() : buffer_(new char[kBufferSize]) {}

std::span<char> FrameReader::Space() {
  if (large_length_ > 0) {
    if (large_filled_ == large_.size()) GrowLarge();
    return {large_.data() + large_filled_, large_.size() - large_filled_};
  }
  if (begin_ > 0) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  return {buffer_.get() + end_, kBufferSize - end_};
}

void FrameReader::Advance(size_t count) { (large_length_ > 0 ? large_filled_ : end_) += count; }

absl::StatusOr<bool> FrameReader::Next(std::string* frame) {
  if (large_length_ > 0) {
    if (large_filled_ < large_length_) return false;
    *frame = std::exchange(large_, {});
    large_length_ = large_filled_ = 0;
    return true;
  }
  const size_t available = end_ - begin_;
  if (available < kHeaderSize) return false;
  const char* start = buffer_.get() + begin_;
  MAYFLY_ASSIGN_OR_RETURN(const FrameHeader header, ParseFrameHeader({start, kHeaderSize}));
  const size_t length = header.length;
  if (available < length) {
    if (length > kBufferSize) StartLarge(length);
    return false;
  }
  frame->assign(start, length);
  begin_ += length;
  if (begin_ == end_) begin_ = end_ = 0;
  return true;
}

void FrameReader::StartLarge(size_t length) {
  large_length_ = length;
  large_.reserve(std::min(length, kFirstReservation));
  large_.assign(buffer_.get() + begin_, end_ - begin_);
  large_filled_ = large_.size();
  begin_ = end_ = 0;
}

void FrameReader::GrowLarge() {
  size_t target = std::min(large_length_, kFirstReservation);
  if (large_filled_ >= target) {
    large_.reserve(large_length_);
    target = std::min(large_length_, large_filled_ + kFillStep);
  }
  large_.resize(target);
}

}  // namespace mayfly::wire
