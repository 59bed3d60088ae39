/* render.c: `talus render DIR`: pictures of the frames of a run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/cli/cli.h"
#include "host/cli/draw.h"
#include "host/cli/options.h"
#include "host/view/measured.h"

#define WORD(name, text, label, unit) text "|"
static const char *const words = TL_FIELD_LIST(WORD) "NAME.QUANTITY";

/* A word, or a measured field. */
static int read_field(const char *text, tl_render_options *options) {
  const int32_t field = tl_field_find(text);
  if (field >= 0) {
    options->field = (tl_field)field;
  } else if (tl_measured_is(text)) {
    options->field = TL_FIELD_VALUE;
    options->measured = text;
  } else {
    return tl_cli_fail("--field %s: wants %s, the last of a measurement of kind fields", text,
                       words);
  }
  return TL_EXIT_OK;
}

/* The range of the colours; an end that was not given is not a number, and 0 beside the other. */
static int read_range(double low, double high, tl_render_options *options) {
  if (isnan(low) && isnan(high)) {
    return TL_EXIT_OK;
  }
  options->low = isnan(low) ? 0 : low;
  options->high = isnan(high) ? 0 : high;
  return options->low < options->high
             ? TL_EXIT_OK
             : tl_cli_fail("--low %g is not below --high %g%s", options->low, options->high,
                           isnan(low) || isnan(high) ? " (0 where it is not given)" : "");
}

/* What --hide, --clip and --target say. Returns an exit code. */
static int read_choices(const tl_option_texts *hide, const tl_option_texts *clip,
                        const char *target, tl_select *select, double at[3]) {
  static const char *const types[] = {"grains", "fixed", "kinematic", "links"};
  for (int32_t i = 0; i < clip->count; i++) {
    if (select->clip_count == TL_SELECT_CLIPS ||
        !tl_clip_parse(clip->text[i], &select->clip[select->clip_count++])) {
      return tl_cli_fail("--clip %s: wants x>0.02 or z<0.1, numbers in m, at most %d of them",
                         clip->text[i], TL_SELECT_CLIPS);
    }
  }
  for (int32_t i = 0; i < hide->count; i++) {
    char *end = NULL;
    const long id = strtol(hide->text[i], &end, 10);
    int found = 0;
    for (int k = 0; k < 4; k++) {
      found |= strcmp(hide->text[i], types[k]) == 0;
      select->hidden_types |= strcmp(hide->text[i], types[k]) == 0 ? 1u << k : 0;
    }
    if (!found && (*end != '\0' || end == hide->text[i] || id < 0 || id > INT32_MAX ||
                   select->hidden_count == TL_SELECT_HIDDEN)) {
      return tl_cli_fail("--hide %s: wants grains, fixed, kinematic, links or the id of a body",
                         hide->text[i]);
    }
    if (!found) {
      select->hidden[select->hidden_count++] = (int32_t)id;
    }
  }
  if (target != NULL && sscanf(target, "%lf,%lf,%lf", &at[0], &at[1], &at[2]) != 3) {
    return tl_cli_fail("--target %s: wants x,y,z in m", target);
  }
  return TL_EXIT_OK;
}

int tl_cli_render(int argc, char **argv) {
  tl_option_texts hide = {0}, clip = {0};
  tl_select select = {0};
  const char *target = NULL;
  double at[3] = {0, 0, 0}, low = NAN, high = NAN;
  int64_t images = 0;
  const char *directory = NULL;
  tl_draw draw = tl_draw_default(NULL);
  int64_t width = draw.options.width, height = draw.options.height, samples = draw.options.samples;
  int64_t threads = 0;
  const char *field = NULL;
  int orthographic = 0, no_bar = 0, no_clock = 0, chains = 0;
  const tl_option table[] = {
      {"frame", TL_OPTION_INTEGER, &draw.frame, "N",
       "number of the frame, from 0; -1 is the last (default)", -1e9, 1e9, 0},
      {"all", TL_OPTION_FLAG, &draw.all, NULL, "all frames, with one camera", 0, 0, 0},
      {"movie", TL_OPTION_FLAG, &draw.movie, NULL, "all frames, and DIR/movie.mp4 by ffmpeg", 0, 0,
       0},
      {"rate", TL_OPTION_REAL, &draw.rate, "R", "pictures per second of the movie (default 25)", 1,
       240, 0},
      {"field", TL_OPTION_TEXT, &field, words, "what colours the grains (default speed)", 0, 0, 0},
      {"chains", TL_OPTION_FLAG, &chains, NULL, "forces between grains as rods, in place of them",
       0, 0, 0},
      {"low", TL_OPTION_REAL, &low, "X", "range of the colours (default: of the frame)", -1e300,
       1e300, 0},
      {"high", TL_OPTION_REAL, &high, "X", "range of the colours", -1e300, 1e300, 0},
      {"out", TL_OPTION_TEXT, &draw.out, "FILE", "where a single picture goes", 0, 0, 0},
      {"width", TL_OPTION_INTEGER, &width, "N", "pixels (default 1280)", 16, 16384, 0},
      {"height", TL_OPTION_INTEGER, &height, "N", "pixels (default 960)", 16, 16384, 0},
      {"samples", TL_OPTION_INTEGER, &samples, "N", "N x N rays per pixel (default 3)", 1, 8, 0},
      {"azimuth", TL_OPTION_REAL, &draw.options.azimuth, "DEG", "of the eye (default -58)", -360,
       360, 0},
      {"elevation", TL_OPTION_REAL, &draw.options.elevation, "DEG", "of the eye (default 22)", -90,
       90, 0},
      {"target", TL_OPTION_TEXT, &target, "X,Y,Z", "what the picture is centred at, m", 0, 0, 0},
      {"zoom", TL_OPTION_REAL, &draw.options.zoom, "F", "how much nearer (default 1)", 0.01, 1000,
       0},
      {"turn", TL_OPTION_REAL, &draw.turn, "DEG",
       "with --all or --movie: how far the eye goes around", -36000, 36000, 0},
      {"path", TL_OPTION_TEXT, &draw.path, "FILE",
       "CSV of a camera's path: time, and of x, y, z, zoom, turn what changes", 0, 0, 0},
      {"clip", TL_OPTION_TEXTS, &clip, "x>M", "leave out grains there: x>0.02, z<0.1 ...", 0, 0, 0},
      {"hide", TL_OPTION_TEXTS, &hide, "WHAT", "grains, fixed, kinematic, links, or a body's id", 0,
       0, 0},
      {"images", TL_OPTION_INTEGER, &images, "N", "copies of a periodic cell to each side", 0, 10,
       0},
      {"arrows", TL_OPTION_REAL, &select.arrow_seconds, "T",
       "arrows along velocities: the way of T s", 0, 1e9, 0},
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
  if (read_range(low, high, &draw.options) != TL_EXIT_OK) {
    return TL_EXIT_BAD;
  }
  if (chains && field != NULL) {
    return tl_cli_fail("--chains has colours of its own, the normal forces: leave out --field");
  }
  if (field != NULL && read_field(field, &draw.options) != TL_EXIT_OK) {
    return TL_EXIT_BAD;
  }
  if (read_choices(&hide, &clip, target, &select, at) != TL_EXIT_OK) {
    return TL_EXIT_BAD;
  }
  select.images = (int32_t)images;
  draw.options.select = &select;
  draw.options.target = target != NULL ? at : NULL;
  draw.directory = directory;
  draw.options.width = (int32_t)width;
  draw.options.height = (int32_t)height;
  draw.options.samples = (int32_t)samples;
  select.chains = chains != 0;
  draw.options.field = chains ? TL_FIELD_VALUE : draw.options.field;
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
