/* info.c: `talus info`: version, how the library was built, which backends work here. */
#include <stdio.h>
#include <string.h>

#include "host/cli/cli.h"
#include "host/cli/json.h"
#include "host/cli/options.h"

/* Whether a backend can be had on this machine, and if not, why. */
typedef struct backend_state {
  talus_backend_kind kind;
  talus_status status;
  int32_t threads;
  char message[256];
} backend_state;

static backend_state probe_backend(talus_backend_kind kind) {
  backend_state state = {.kind = kind};
  talus_context_def def = talus_context_def_default();
  def.backend = kind;
  talus_context *context = NULL;
  state.status = talus_context_create(&def, &context);
  if (state.status == TALUS_OK) {
    /* AUTO resolves to the one it would take. */
    state.kind = strcmp(talus_context_backend(context), tl_cli_backend_name(TALUS_BACKEND_CPU)) == 0
                     ? TALUS_BACKEND_CPU
                     : TALUS_BACKEND_CUDA;
    state.threads = talus_context_threads(context);
  } else {
    const char *message = context != NULL ? talus_context_message(context) : "";
    snprintf(state.message, sizeof state.message, "%s",
             message[0] != '\0' ? message : talus_status_text(state.status));
  }
  talus_context_destroy(context);
  return state;
}

static void print_text(const char *build, const backend_state *states, int count,
                       const backend_state *preferred) {
  printf("talus %s\n%s", talus_version(), build);
  if (build[0] != '\0' && build[strlen(build) - 1] != '\n') {
    printf("\n");
  }
  for (int i = 0; i < count; i++) {
    printf("backend %-5s %s\n", tl_cli_backend_name(states[i].kind),
           states[i].status == TALUS_OK ? "works" : states[i].message);
  }
  printf("auto takes    %s, %d threads\n", tl_cli_backend_name(preferred->kind),
         (int)preferred->threads);
}

static void print_json(const char *build, const backend_state *states, int count,
                       const backend_state *preferred) {
  tl_json json = tl_json_begin(stdout);
  tl_json_object(&json, NULL);
  tl_json_text(&json, "version", talus_version());
  tl_json_text(&json, "build", build);
  tl_json_array(&json, "backends");
  for (int i = 0; i < count; i++) {
    tl_json_object(&json, NULL);
    tl_json_text(&json, "name", tl_cli_backend_name(states[i].kind));
    tl_json_boolean(&json, "works", states[i].status == TALUS_OK);
    tl_json_text(&json, "reason", states[i].status == TALUS_OK ? NULL : states[i].message);
    tl_json_object_end(&json);
  }
  tl_json_array_end(&json);
  tl_json_text(&json, "auto", tl_cli_backend_name(preferred->kind));
  tl_json_integer(&json, "threads", preferred->threads);
  tl_json_object_end(&json);
  tl_json_end(&json);
}

int tl_cli_info(int argc, char **argv) {
  int as_json = 0;
  const tl_option table[] = {
      {"json", TL_OPTION_FLAG, &as_json, NULL, "report as JSON, alone on stdout", 0, 0, 0}, {0}};
  const tl_command command = {.name = "info",
                              .summary = "Tells version, build, backends and devices.",
                              .positional = "",
                              .options = table};
  const tl_parsed parsed = tl_options_parse(&command, argc, argv);
  if (parsed != TL_PARSED_OK) {
    return parsed == TL_PARSED_HELP ? TL_EXIT_OK : TL_EXIT_BAD;
  }
  char build[4096];
  talus_build_text(build, sizeof build);
  const backend_state states[] = {probe_backend(TALUS_BACKEND_CPU),
                                  probe_backend(TALUS_BACKEND_CUDA)};
  const backend_state preferred = probe_backend(TALUS_BACKEND_AUTO);
  if (as_json) {
    print_json(build, states, 2, &preferred);
  } else {
    print_text(build, states, 2, &preferred);
  }
  return TL_EXIT_OK;
}
