// Text helpers of the string operators: conversion to text, UTF-8, size limits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "bson/value.h"

namespace mayfly::engine {

// Numbers, dates, timestamps and text as string operators read them, doubles with six digits;
// nullish is empty. Error: 16007 for other types.
absl::StatusOr<std::string> CoerceToText(bson::ValueView value);
// The shortest text that reads back as `v`; with an exponent from 1e16 on and below 1e-4.
std::string DoubleText(double v);
// "2024-01-31T12:00:00.000Z".
std::string DateText(int64_t ms);

// Whether `c` continues a UTF-8 character.
inline bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }
// Bytes of the UTF-8 character that starts with `c`; 1 for a byte that starts none.
size_t CharacterSize(char c);
// Number of characters: bytes that do not continue one.
int64_t CountCharacters(std::string_view text);

// The text as a value; 16493 if it is 16 MB or more.
absl::StatusOr<bson::Value> TextResult(std::string_view text);

}  // namespace mayfly::engine
