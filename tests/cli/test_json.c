/* test_json.c: the JSON writer of the program: escapes, numbers that JSON lacks, commas, nesting.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "host/cli/json.c" /* the program's own files are not in the library */
#include "tests/check.h"

static char *written; /* by the last open_memstream */
static size_t written_length;

static tl_json begin(void) {
  free(written);
  written = NULL;
  return tl_json_begin(open_memstream(&written, &written_length));
}

static void expect(tl_json *json, const char *text) {
  tl_json_end(json);
  fclose(json->out);
  CHECK_CASE(strcmp(written, text) == 0, "got %s", written);
}

static void test_text(void) {
  static const struct {
    const char *text, *json;
  } cases[] = {
      {"plain", "\"plain\"\n"},
      {"", "\"\"\n"},
      {"quote \" back \\ line \n tab \t", "\"quote \\\" back \\\\ line \\n tab \\u0009\"\n"},
      {"\x01\x1f\x7f", "\"\\u0001\\u001f\\u007f\"\n"},
      {"\xce\xb5 \xe2\x82\xac \xf0\x9f\x8c\x8d", "\"\xce\xb5 \xe2\x82\xac \xf0\x9f\x8c\x8d\"\n"},
      {"\xff", "\"\\ufffd\"\n"},                                  /* never a byte of UTF-8 */
      {"\xc3", "\"\\ufffd\"\n"},                                  /* cut off */
      {"\xe2\x82", "\"\\ufffd\\ufffd\"\n"},                       /* cut off */
      {"\xc0\xaf", "\"\\ufffd\\ufffd\"\n"},                       /* overlong */
      {"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"\n"},            /* a surrogate */
      {"\xf5\x80\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"\n"}, /* beyond the last character */
      {NULL, "null\n"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    tl_json json = begin();
    tl_json_text(&json, NULL, cases[i].text);
    expect(&json, cases[i].json);
  }
}

static void test_numbers(void) {
  static const double values[] = {0.1, -1e300, 5e-324, 0, NAN, INFINITY, -INFINITY};
  static const char *const texts[] = {"0.10000000000000001\n",
                                      "-1.0000000000000001e+300\n",
                                      "4.9406564584124654e-324\n",
                                      "0\n",
                                      "null\n",
                                      "null\n",
                                      "null\n"};
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
    tl_json json = begin();
    tl_json_real(&json, NULL, values[i]);
    expect(&json, texts[i]);
  }
  tl_json json = begin();
  tl_json_integer(&json, NULL, INT64_MIN);
  expect(&json, "-9223372036854775808\n");
}

static void test_nesting(void) {
  tl_json json = begin();
  tl_json_object(&json, NULL);
  tl_json_integer(&json, "a", 1);
  tl_json_array(&json, "empty");
  tl_json_array_end(&json);
  tl_json_array(&json, "list");
  tl_json_boolean(&json, NULL, 1);
  tl_json_object(&json, NULL);
  tl_json_object_end(&json);
  tl_json_array_end(&json);
  tl_json_boolean(&json, "last", 0);
  tl_json_object_end(&json);
  expect(&json, "{\n  \"a\": 1,\n  \"empty\": [],\n  \"list\": [\n    true,\n    {}\n  ],\n"
                "  \"last\": false\n}\n");
}

int main(void) {
  test_text();
  test_numbers();
  test_nesting();
  free(written);
  return check_end();
}
