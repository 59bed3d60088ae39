/* info.c: `talus info`: version, how the library was built, which backends work here, and which
 * processes there are. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef _WIN32
#include <unistd.h>
#endif

#include "host/cli/cli.h"
#include "host/cli/json.h"
#include "host/cli/options.h"
#include "host/cli/ranks.h"

/* Whether a backend can be had on this machine, and if not, why. */
typedef struct backend_state {
  talus_backend_kind kind;
  talus_status status;
  int32_t threads;
  talus_precision precision; /* of worlds that do not say */
  char message[256];
} backend_state;

/* One of several processes: where it is, and how busy its machine is. */
typedef struct process_state {
  char host[64];
  double load; /* processes that want to run there, mean of a minute; < 0: not known */
  int32_t threads, unused;
} process_state;

static process_state process_look(int32_t threads) {
  process_state state = {.host = "?", .load = -1, .threads = threads};
#ifndef _WIN32
  const int wanted = tl_cli_ranks_threads();
  if (gethostname(state.host, sizeof state.host - 1) != 0 || getloadavg(&state.load, 1) != 1) {
    state.load = -1;
  }
  state.threads = wanted > 0 ? wanted : threads;
#endif
  return state;
}

/* Those of all processes, to be freed; NULL: there is one, or they could not be reached. */
static process_state *processes_gather(int32_t threads) {
  const talus_transport *const t = tl_cli_ranks();
  if (t == NULL) {
    return NULL;
  }
  const process_state own = process_look(threads);
  process_state *const all = calloc((size_t)t->size, sizeof *all);
  if (all == NULL) {
    t->fail(t->user, "no memory for a list of processes");
  } else if (t->gather(t->user, &own, sizeof own, all) != 0) {
    free(all);
    return NULL;
  }
  return all;
}

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
    state.precision = talus_precision_auto(context);
  } else {
    const char *message = context != NULL ? talus_context_message(context) : "";
    snprintf(state.message, sizeof state.message, "%s",
             message[0] != '\0' ? message : talus_status_text(state.status));
  }
  talus_context_destroy(context);
  return state;
}

static void print_text(const char *build, const backend_state *states, int count,
                       const backend_state *preferred, const process_state *process) {
  printf("talus %s\n%s", talus_version(), build);
  if (build[0] != '\0' && build[strlen(build) - 1] != '\n') {
    printf("\n");
  }
  for (int i = 0; i < count; i++) {
    const bool works = states[i].status == TALUS_OK;
    printf("backend %-5s %s%s\n", tl_cli_backend_name(states[i].kind),
           works ? "works; worlds in " : states[i].message,
           works ? talus_precision_name(states[i].precision) : "");
  }
  printf("auto takes    %s, %d threads; worlds in %s\n", tl_cli_backend_name(preferred->kind),
         (int)preferred->threads, talus_precision_name(preferred->precision));
  for (int32_t r = 0; process != NULL && r < tl_cli_ranks()->size; r++) {
    printf("rank %-8d %s, %d threads, load of the machine %.2f\n", (int)r, process[r].host,
           (int)process[r].threads, process[r].load);
  }
}

static void print_json(const char *build, const backend_state *states, int count,
                       const backend_state *preferred, const process_state *process) {
  tl_json json = tl_json_begin(stdout);
  tl_json_object(&json, NULL);
  tl_json_text(&json, "version", talus_version());
  tl_json_text(&json, "build", build);
  tl_json_array(&json, "backends");
  for (int i = 0; i < count; i++) {
    tl_json_object(&json, NULL);
    tl_json_text(&json, "name", tl_cli_backend_name(states[i].kind));
    tl_json_boolean(&json, "works", states[i].status == TALUS_OK);
    tl_json_text(&json, "precision",
                 states[i].status == TALUS_OK ? talus_precision_name(states[i].precision) : NULL);
    tl_json_text(&json, "reason", states[i].status == TALUS_OK ? NULL : states[i].message);
    tl_json_object_end(&json);
  }
  tl_json_array_end(&json);
  tl_json_text(&json, "auto", tl_cli_backend_name(preferred->kind));
  tl_json_integer(&json, "threads", preferred->threads);
  tl_json_text(&json, "precision", talus_precision_name(preferred->precision));
  if (process != NULL) {
    tl_json_array(&json, "ranks");
    for (int32_t r = 0; r < tl_cli_ranks()->size; r++) {
      tl_json_object(&json, NULL);
      tl_json_text(&json, "host", process[r].host);
      tl_json_integer(&json, "threads", process[r].threads);
      tl_json_real(&json, "load", process[r].load);
      tl_json_object_end(&json);
    }
    tl_json_array_end(&json);
  }
  tl_json_object_end(&json);
  tl_json_end(&json);
}

static void info_print(int as_json) {
  char build[4096];
  talus_build_text(build, sizeof build);
  const backend_state states[] = {probe_backend(TALUS_BACKEND_CPU),
                                  probe_backend(TALUS_BACKEND_CUDA)};
  const backend_state preferred = probe_backend(TALUS_BACKEND_AUTO);
  process_state *const process = processes_gather(preferred.threads);
  if (as_json && tl_cli_ranks_speaks()) {
    print_json(build, states, 2, &preferred, process);
  } else if (tl_cli_ranks_speaks()) {
    print_text(build, states, 2, &preferred, process);
  }
  free(process);
}

int tl_cli_info(int argc, char **argv) {
  int as_json = 0;
  const tl_option table[] = {
      {"json", TL_OPTION_FLAG, &as_json, NULL, "report as JSON, alone on stdout", 0, 0, 0}, {0}};
  const tl_command command = {.name = "info",
                              .summary =
                                  "Tells version, build, backends and devices; under mpirun\n"
                                  "also the processes: where they are, and the load there.",
                              .positional = "",
                              .options = table};
  int code = tl_cli_ranks_begin();
  if (code == TL_EXIT_OK) {
    const tl_parsed parsed = tl_cli_ranks_parsed(tl_options_parse(&command, argc, argv));
    if (parsed == TL_PARSED_OK) {
      info_print(as_json);
    }
    code = parsed == TL_PARSED_BAD ? TL_EXIT_BAD : TL_EXIT_OK;
  }
  tl_cli_ranks_end();
  return code;
}
