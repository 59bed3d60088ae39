/* render.c: `talus render DIR`: pictures of the frames of a run. */
#include <stdio.h>
#include <string.h>

#include "host/cli/cli.h"
#include "host/cli/draw.h"
#include "host/cli/options.h"

#define WORD(name, text, label, unit) "|" text
static const char *const fields = &(TL_FIELD_LIST(WORD))[1];

int tl_cli_render(int argc, char **argv) {
  const char *directory = NULL;
  tl_draw draw = tl_draw_default(NULL);
  int64_t width = draw.options.width, height = draw.options.height, samples = draw.options.samples;
  int64_t threads = 0;
  int field = draw.options.field, orthographic = 0, no_bar = 0, no_clock = 0;
  const tl_option table[] = {
      {"frame", TL_OPTION_INTEGER, &draw.frame, "N",
       "number of the frame, from 0; -1 is the last (default)", -1e9, 1e9, 0},
      {"all", TL_OPTION_FLAG, &draw.all, NULL, "all frames, with one camera", 0, 0, 0},
      {"movie", TL_OPTION_FLAG, &draw.movie, NULL, "all frames, and DIR/movie.mp4 by ffmpeg", 0, 0,
       0},
      {"rate", TL_OPTION_REAL, &draw.rate, "R", "pictures per second of the movie (default 25)", 1,
       240, 0},
      {"field", TL_OPTION_CHOICE, &field, fields, "what colours the grains (default speed)", 0, 0,
       0},
      {"low", TL_OPTION_REAL, &draw.options.low, "X",
       "range of the colours (default: of the frame)", -1e300, 1e300, 0},
      {"high", TL_OPTION_REAL, &draw.options.high, "X", "range of the colours", -1e300, 1e300, 0},
      {"out", TL_OPTION_TEXT, &draw.out, "FILE", "where a single picture goes", 0, 0, 0},
      {"width", TL_OPTION_INTEGER, &width, "N", "pixels (default 1280)", 16, 16384, 0},
      {"height", TL_OPTION_INTEGER, &height, "N", "pixels (default 960)", 16, 16384, 0},
      {"samples", TL_OPTION_INTEGER, &samples, "N", "N x N rays per pixel (default 3)", 1, 8, 0},
      {"azimuth", TL_OPTION_REAL, &draw.options.azimuth, "DEG", "of the eye (default -58)", -360,
       360, 0},
      {"elevation", TL_OPTION_REAL, &draw.options.elevation, "DEG", "of the eye (default 22)", -90,
       90, 0},
      {"orthographic", TL_OPTION_FLAG, &orthographic, NULL, "parallel rays", 0, 0, 0},
      {"no-bar", TL_OPTION_FLAG, &no_bar, NULL, "leave out the colour bar", 0, 0, 0},
      {"no-clock", TL_OPTION_FLAG, &no_clock, NULL, "leave out the time", 0, 0, 0},
      {"threads", TL_OPTION_INTEGER, &threads, "N", "CPU threads (default all)", 0, 4096, 0},
      {0}};
  const tl_command command = {.name = "render",
                              .summary = "Draws PNG pictures of the frames of a run.",
                              .positional = "DIR",
                              .notes = "exit code: 0 drawn, 2 not\n",
                              .options = table,
                              .arguments = &directory};
  const tl_parsed parsed = tl_options_parse(&command, argc, argv);
  if (parsed != TL_PARSED_OK) {
    return parsed == TL_PARSED_HELP ? TL_EXIT_OK : TL_EXIT_BAD;
  }
  if (draw.out != NULL && (draw.all || draw.movie)) {
    return tl_cli_fail("--out is for a single picture: pictures of all frames go to %s", directory);
  }
  draw.directory = directory;
  draw.options.width = (int32_t)width;
  draw.options.height = (int32_t)height;
  draw.options.samples = (int32_t)samples;
  draw.options.field = (tl_field)field;
  draw.options.orthographic = orthographic;
  draw.options.bar = !no_bar;
  draw.options.clock = !no_clock;
  talus_context *context = NULL;
  if (tl_cli_context_open(TALUS_BACKEND_CPU, threads, 0, &context) != TL_EXIT_OK) {
    return TL_EXIT_BAD;
  }
  const int code = tl_draw_run(context, &draw);
  talus_context_destroy(context);
  return code;
}
