/* view.c: `talus view DIR`: one page that plays a run in any browser.
 *
 * The page is written by the Python package; Python takes this process's place. TALUS_PYTHON names
 * another interpreter than python3. */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/cli/cli.h"
#include "host/cli/options.h"

static const char PROGRAM[] =
    "import sys\n"
    "try:\n"
    "    from talus.program import view\n"
    "except ImportError as error:\n"
    "    if error.name is not None and error.name.split('.')[0] == 'numpy':\n"
    "        print('talus: view: the page is written by the Python package, which needs numpy, and "
    "'\n"
    "              '%s has no numpy: install it there, or TALUS_PYTHON names another'\n"
    "              % sys.executable, file=sys.stderr)\n"
    "        sys.exit(2)\n"
    "    print('talus: view: the page is written by the Python package, which this Python does '\n"
    "          'not have (%s): pip install . in the folder of the sources, or TALUS_PYTHON names "
    "'\n"
    "          'another; talus render DIR draws pictures without it' % error, file=sys.stderr)\n"
    "    sys.exit(2)\n"
    "sys.exit(view(sys.argv[1:]))\n";

static int python_become(const char *directory, const char *out, const char *field, int64_t every,
                         int quiet) {
  const char *const named = getenv("TALUS_PYTHON");
  const char *const python = named != NULL && named[0] != 0 ? named : "python3";
  char number[32];
  snprintf(number, sizeof number, "%lld", (long long)every);
  const char *arguments[16] = {python,    "-c",  PROGRAM,   directory,
                               "--field", field, "--every", number};
  int count = 8;
  if (out != NULL) {
    arguments[count++] = "--out";
    arguments[count++] = out;
  }
  if (quiet) {
    arguments[count++] = "--quiet";
  }
  fflush(NULL);
  execvp(python, (char *const *)arguments);
  return tl_cli_fail("view: the page is written by the Python package, and %s does not run (%s); "
                     "talus render DIR draws pictures without it",
                     python, strerror(errno));
}

int tl_cli_view(int argc, char **argv) {
  static const char fields[] = "speed|spin|radius|height|vx|vy|vz";
  static const char *const words[] = {"speed", "spin", "radius", "height", "vx", "vy", "vz"};
  const char *directory = NULL, *out = NULL;
  int64_t every = 1;
  int field = 0, quiet = 0;
  const tl_option table[] = {
      {"out", TL_OPTION_TEXT, &out, "FILE", "the page (default DIR/view.html)", 0, 0, 0},
      {"field", TL_OPTION_CHOICE, &field, fields, "what colours the grains (default speed)", 0, 0,
       0},
      {"every", TL_OPTION_INTEGER, &every, "N", "take each Nth frame (default 1)", 1, 1e9, 0},
      {"quiet", TL_OPTION_FLAG, &quiet, NULL, "do not open it in a browser", 0, 0, 0},
      {0}};
  const tl_command command = {
      .name = "view",
      .summary = "Writes one page that plays a run in any browser, and opens it.",
      .positional = "DIR",
      .notes = "Needs Python with the package talus-contact; TALUS_PYTHON names the interpreter\n"
               "(default python3).\n"
               "exit code: 0 written, 2 not\n",
      .options = table,
      .arguments = &directory};
  const tl_parsed parsed = tl_options_parse(&command, argc, argv);
  if (parsed != TL_PARSED_OK) {
    return parsed == TL_PARSED_HELP ? TL_EXIT_OK : TL_EXIT_BAD;
  }
  if (access(directory, F_OK) != 0) {
    return tl_cli_fail("%s: %s", directory, strerror(errno));
  }
  return python_become(directory, out, words[field], every, quiet);
}
