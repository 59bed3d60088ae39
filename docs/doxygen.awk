# doxygen.awk: shows the headers' plain comments to Doxygen; used by docs/Doxyfile.
#
# The comment at the head of a file, with its drawings, becomes the file's description as it stands;
# a comment on lines of its own describes what follows, one behind code describes what it follows;
# lines of dashes are left out. Enumerators that come from a list, X(NAME, "name", "text"), are written
# out with their texts.

function escape(text) {
  gsub(/&/, "\\&amp;", text)
  gsub(/</, "\\&lt;", text)
  gsub(/>/, "\\&gt;", text)
  gsub(/#/, "\\#", text)
  gsub(/@/, "\\@", text)
  return text
}

FNR == 1 && /^\/\*/ {
  print "/** @file"
  print "@verbatim"
  head = 1
  sub(/^\/\* /, "")
}

head {
  last = sub(/ *\*\/ *$/, "")
  sub(/^ \* ?/, "")
  print
  if (last) {
    print "@endverbatim */"
    head = 0
  }
  next
}

inside { # the further lines of a comment
  last = index($0, "*/") > 0
  print escape($0)
  inside = !last
  next
}

/^\/\* ----/ { print ""; next }

/^#define TALUS_[A-Z]+_LIST\(X\)/ {
  match($0, /TALUS_[A-Z]+_LIST/)
  list = substr($0, RSTART, RLENGTH)
  lines[list] = ""
  collecting = 1
}

collecting {
  if ($0 ~ /X\([A-Z0-9_]+,/) {
    lines[list] = lines[list] $0 "\n"
  }
  collecting = /\\$/
  next
}

/^#define TALUS_[A-Z_]+\(name.*##name,/ { # what an entry of the list becomes
  match($0, /TALUS_[A-Z0-9_]*##name/)
  prefix = substr($0, RSTART, RLENGTH - 6)
  next
}

prefix != "" && /^#undef/ { prefix = ""; next }

prefix != "" && /^ *TALUS_[A-Z]+_LIST\(/ {
  match($0, /TALUS_[A-Z]+_LIST/)
  count = split(lines[substr($0, RSTART, RLENGTH)], entry, "\n")
  for (i = 1; i < count; i++) {
    match(entry[i], /X\([A-Z0-9_]+/)
    name = substr(entry[i], RSTART + 2, RLENGTH - 2)
    text = entry[i]
    sub(/^[^"]*"/, "", text)
    sub(/"[^"]*$/, "", text)
    sub(/", "/, ": ", text)
    print "  " prefix name ", /**< " escape(text) " */"
  }
  next
}

/\/\*/ {
  at = index($0, "/*")
  code = substr($0, 1, at - 1)
  rest = substr($0, at + 2)
  mark = code ~ /^[ \t]*$/ ? "/**" : "/**<"
  close_at = index(rest, "*/")
  if (close_at > 0) { # what follows the comment on the same line is code again
    print code mark escape(substr(rest, 1, close_at - 1)) "*/" substr(rest, close_at + 2)
  } else {
    print code mark escape(rest)
    inside = 1
  }
  next
}

{ print }
