/* inlets.c: whether walls leave inlets any room: asked of random places once, before a run, so that
 * grains do not wait for ever without a word. */
#include <math.h>
#include <stdio.h>

#include "host/scene/occupancy.h"

/* What places of an inlet's region hold. */
typedef struct sample {
  int32_t tried, taken;
  int32_t by;    /* the body that takes most of it */
  int permanent; /* 1: nothing that takes it will ever go away or move */
} sample;

/* When a body is taken away. */
static double until_of(const talus_scene *scene, int32_t body) {
  const tl_scene_definition *def = &scene->def;
  double until = INFINITY;
  for (int32_t i = 0; i < def->walls.count; i++) {
    until = scene->wall_id[i] == body ? ((const tl_scene_wall *)def->walls.item)[i].until : until;
  }
  for (int32_t i = 0; i < def->bodies.count; i++) {
    until = scene->body_id[i] == body ? ((const tl_scene_body *)def->bodies.item)[i].until : until;
  }
  return until;
}

/* Enters a body that is fixed or moves by itself, if it is there when the inlet begins. */
static talus_status enter(tl_occupancy *occupancy, const tl_scene_inlet *inlet, int32_t body,
                          double until) {
  const talus_body_type kind = talus_body_kind(occupancy->world, body);
  return until > inlet->begin && (kind == TALUS_BODY_FIXED || kind == TALUS_BODY_KINEMATIC)
             ? tl_occupancy_add(occupancy, body)
             : TALUS_OK;
}

static talus_status enter_all(const talus_scene *scene, const tl_scene_inlet *inlet,
                              tl_occupancy *occupancy) {
  const tl_scene_definition *def = &scene->def;
  for (int32_t i = 0; i < def->walls.count; i++) {
    TL_TRY(enter(occupancy, inlet, scene->wall_id[i],
                 ((const tl_scene_wall *)def->walls.item)[i].until));
  }
  for (int32_t i = 0; i < def->bodies.count; i++) {
    TL_TRY(enter(occupancy, inlet, scene->body_id[i],
                 ((const tl_scene_body *)def->bodies.item)[i].until));
  }
  return TALUS_OK;
}

/* Tries a place for a grain of the inlet. */
static talus_status try_place(const tl_scene_inlet *inlet, tl_occupancy *occupancy, tl_room *room,
                              tl_form *form, tl_random *random, sample *s) {
  enum { TURNS = 20 };
  tl_placement search = {.tries = 1};
  int turn = 0;
  do { /* one that lies in the region */
    TL_TRY(tl_form_place_randomly(occupancy, room, form, random, &search));
  } while (!search.fits && !form->round && ++turn < TURNS);
  s->tried += search.fits;
  if (search.fits && !search.found) {
    s->taken++;
    s->by = search.by;
    s->permanent &= talus_body_kind(occupancy->world, search.by) == TALUS_BODY_FIXED &&
                    until_of(occupancy->scene, search.by) >= inlet->end;
  }
  return TALUS_OK;
}

static talus_status take_sample(talus_scene *scene, int32_t index, tl_occupancy *occupancy,
                                tl_room *room, tl_form *form, sample *s) {
  enum { SIZES = 8, PLACES = 50 };
  const tl_scene_inlet *inlet = (const tl_scene_inlet *)scene->def.inlets.item + index;
  tl_random random = {.state = scene->inlet[index].random};
  *s = (sample){.by = TALUS_NONE, .permanent = 1};
  TL_TRY(enter_all(scene, inlet, occupancy));
  for (int k = 0; k < SIZES; k++) {
    const double factor = tl_sizes_draw(&inlet->grain.sizes, scene->def.world.plane, &random);
    TL_TRY(tl_form_make(form, (tl_variation){factor, 1}));
    for (int i = 0; i < PLACES; i++) {
      TL_TRY(try_place(inlet, occupancy, room, form, &random, s));
    }
  }
  return TALUS_OK;
}

static talus_status judge(talus_scene *scene, int32_t index, const sample *s) {
  const tl_scene_inlet *inlet = (const tl_scene_inlet *)scene->def.inlets.item + index;
  const tl_node *node = inlet->region.item.node;
  char words[96], place[256];
  if (s->tried == 0) {
    return tl_node_fail(scene->context, node, "the region is too small for the inlet's grains");
  }
  if (s->taken == 0 || s->by == TALUS_NONE) {
    return TALUS_OK;
  }
  tl_body_words(scene, s->by, words, sizeof words);
  if (s->taken == s->tried && s->permanent) {
    return tl_node_fail(scene->context, node,
                        "the inlet's region lies inside of %s, which leaves a grain no room in %d "
                        "tries: move the region",
                        words, (int)s->tried);
  }
  if (index >= scene->told_inlets && s->taken * 50 >= s->tried) {
    tl_log(scene->context, TALUS_LOG_WARNING,
           "%s: of the inlet's region %d %% is taken by %s: grains appear in the rest%s",
           tl_node_place(node, place, sizeof place), (int)lround(100.0 * s->taken / s->tried),
           words, s->taken == s->tried ? ", once there is one" : "");
  }
  return TALUS_OK;
}

talus_status tl_inlets_check(talus_scene *scene, const talus_world *world) {
  for (int32_t i = 0; i < scene->def.inlets.count; i++) {
    const tl_scene_inlet *inlet = (const tl_scene_inlet *)scene->def.inlets.item + i;
    tl_occupancy occupancy;
    tl_room room;
    tl_form form;
    sample s;
    tl_occupancy_begin(scene, world, &occupancy);
    tl_form_begin(scene, &inlet->grain, &form);
    talus_status status =
        tl_room_begin(scene->context, &inlet->region, scene->def.world.plane, &room);
    if (status == TALUS_OK) {
      status = take_sample(scene, i, &occupancy, &room, &form, &s);
    }
    tl_room_end(&room);
    tl_form_end(&form);
    tl_occupancy_end(&occupancy);
    TL_TRY(status);
    TL_TRY(judge(scene, i, &s));
  }
  scene->told_inlets = scene->def.inlets.count;
  return TALUS_OK;
}
