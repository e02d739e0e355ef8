#pragma once
#include <string>
#include <vector>

namespace compeer::contract {

/// A file of templates/, which stands in the program so that it needs no other.
struct TemplateFile {
  std::string kind;  ///< the folder it lies in, a kind or a variant of one; empty: it belongs to projects of every kind
  std::string name, text;
};

const std::vector<TemplateFile>& templates();

}  // namespace compeer::contract
