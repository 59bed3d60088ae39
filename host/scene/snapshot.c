/* snapshot.c: fills a frame from the world's memory. Removed bodies are left out. */
#include "host/scene/snapshot.h"

#include <math.h>
#include <string.h>

#include "host/base/words.h"
#include "host/world/world.h"

static talus_status choose_columns(const talus_scene *scene, tl_snapshot *s) {
  const tl_scene_output *output = &tl_scene_says(scene)->output;
  const int32_t all = tl_scalars_count(scene);
  void *memory = NULL;
  TL_TRY(tl_arena_take(&s->arena, (size_t)all, sizeof(tl_column), &memory));
  s->column = memory;
  TL_TRY(tl_arena_take(&s->arena, 2 * (size_t)all, sizeof(double), &memory));
  s->value = memory;
  TL_TRY(tl_arena_take(&s->arena, (size_t)all, sizeof(int32_t), &memory));
  s->chosen = memory;
  TL_TRY(tl_scalars_name(scene, &s->arena, s->column));
  for (int32_t i = 0; i < all && output->columns.count == 0; i++) {
    s->chosen[s->column_count++] = i;
  }
  for (int32_t k = 0; k < output->columns.count; k++) {
    const char *wanted = output->columns.text[k];
    int32_t found = -1;
    for (int32_t i = 0; i < all; i++) {
      found = strcmp(s->column[i].name, wanted) == 0 ? i : found;
    }
    if (found < 0) {
      char names[2048] = "", near[64];
      for (int32_t i = 0; i < all; i++) {
        if (strlen(names) + strlen(s->column[i].name) + 2 < sizeof names) {
          strcat(names, i > 0 ? "|" : "");
          strcat(names, s->column[i].name);
        }
      }
      const char *nearest = tl_words_nearest(wanted, names, near, sizeof near);
      return tl_node_fail(s->context, tl_tree_find(output->item.node, "columns"),
                          "output.columns: there is no column '%.60s'%s%s%s", wanted,
                          nearest != NULL ? " (did you mean " : "", nearest != NULL ? nearest : "",
                          nearest != NULL ? "?)" : "");
    }
    s->chosen[s->column_count++] = found;
  }
  /* Names in the order of the choice; the first half of `value` is handed out. */
  TL_TRY(tl_arena_take(&s->arena, (size_t)s->column_count, sizeof(tl_column), &memory));
  tl_column *chosen = memory;
  for (int32_t i = 0; i < s->column_count; i++) {
    chosen[i] = s->column[s->chosen[i]];
  }
  s->column = chosen;
  return TALUS_OK;
}

talus_status tl_snapshot_open(const talus_scene *scene, tl_snapshot *s) {
  memset(s, 0, sizeof *s);
  s->context = s->arena.context = tl_scene_context(scene);
  return choose_columns(scene, s);
}

void tl_snapshot_close(tl_snapshot *s) {
  if (s->context != NULL) {
    tl_buffer_release(s->context, &s->body);
    tl_buffer_release(s->context, &s->shape);
    tl_buffer_release(s->context, &s->contact);
    tl_arena_release(&s->arena);
  }
  memset(s, 0, sizeof *s);
}

/* Arrays of doubles first, then those of int32_t, in one piece of memory. */
static talus_status take_bodies(tl_snapshot *s, const talus_world *world, int32_t **index) {
  const size_t all = (size_t)world->body_count;
  TL_TRY(tl_buffer_reserve(s->context, &s->body, all, 15 * sizeof(double) + 4 * sizeof(int32_t),
                           "bodies of a frame"));
  double *position = s->body.memory, *orientation = position + 3 * all;
  double *velocity = orientation + 4 * all, *spin = velocity + 3 * all, *radius = spin + 3 * all;
  double *mass = radius + all;
  int32_t *id = (int32_t *)(mass + all), *material = id + all, *type = material + all;
  *index = type + all; /* of a body in the frame, by slot */
  int32_t n = 0;
  for (int32_t i = 0; i < world->body_count; i++) {
    const tl_body *body = &world->body[i];
    if (body->type == TALUS_BODY_LINK) { /* set, and not stepped yet */
      tl_link_sync(world, i);
    }
    (*index)[i] = body->exists ? n : -1;
    if (!body->exists) {
      continue;
    }
    memcpy(position + 3 * n, body->position, sizeof body->position);
    memcpy(orientation + 4 * n, body->orientation, sizeof body->orientation);
    memcpy(velocity + 3 * n, body->velocity, sizeof body->velocity);
    memcpy(spin + 3 * n, body->spin, sizeof body->spin);
    id[n] = body->id;
    material[n] = body->first_shape >= 0 ? world->shape[body->first_shape].material : 0;
    type[n] = body->type;
    radius[n] = 0;
    mass[n] = body->type == TALUS_BODY_FREE ? body->mass : 0;
    n++;
  }
  tl_frame *frame = &s->frame;
  frame->body_count = n;
  frame->id = id;
  frame->position = position;
  frame->orientation = orientation;
  frame->velocity = velocity;
  frame->spin = spin;
  frame->radius = radius;
  frame->material = material;
  frame->type = type;
  frame->mass = mass;
  return TALUS_OK;
}

/* From the shape's origin to its farthest point, along the box of its collider at home. */
static double reach_of(const tl_shape_slot *shape) {
  const tl_geometry *geometry = shape->geometry;
  if (geometry->kind == TALUS_SHAPE_SPHERE) {
    return geometry->radius;
  }
  const tl_collider at_home = {.geometry = geometry,
                               .pose = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}}};
  const tl_box box = tl_collider_box(&at_home);
  double square = 0;
  for (int c = 0; c < 3; c++) {
    const double far = fmax(fabs(box.lower[c]), fabs(box.upper[c]));
    square += far * far;
  }
  return sqrt(square);
}

static talus_status take_shapes(tl_snapshot *s, const talus_world *world, const int32_t *index) {
  const size_t all = (size_t)world->shape_count;
  TL_TRY(tl_buffer_reserve(s->context, &s->shape, all,
                           sizeof(tl_pose) + sizeof(tl_geometry *) + 2 * sizeof(int32_t),
                           "shapes of a frame"));
  tl_pose *pose = s->shape.memory;
  const tl_geometry **geometry = (const tl_geometry **)(pose + all);
  int32_t *body = (int32_t *)(geometry + all), *material = body + all;
  double *radius = (double *)s->frame.radius;
  int32_t n = 0;
  for (int32_t i = 0; i < world->shape_count; i++) {
    const tl_shape_slot *shape = &world->shape[i];
    if (!shape->exists || index[shape->body] < 0) {
      continue;
    }
    memcpy(pose[n].position, shape->position, sizeof shape->position);
    memcpy(pose[n].rotation, shape->rotation, sizeof shape->rotation);
    geometry[n] = shape->geometry;
    body[n] = index[shape->body];
    material[n] = shape->material;
    const double reach = sqrt(tl_dot3(shape->position, shape->position)) + reach_of(shape);
    radius[body[n]] = fmax(radius[body[n]], reach);
    n++;
  }
  s->frame.shape_count = n;
  s->frame.shape_body = body;
  s->frame.shape_geometry = geometry;
  s->frame.shape_pose = pose;
  s->frame.shape_material = material;
  return TALUS_OK;
}

static talus_status take_contacts(tl_snapshot *s, const talus_world *world) {
  const talus_contact *contact = NULL;
  const int32_t count = talus_world_contacts(world, &contact);
  if (count < 0) {
    return TALUS_OUT_OF_MEMORY; /* and the message is there */
  }
  const size_t all = (size_t)count;
  TL_TRY(tl_buffer_reserve(s->context, &s->contact, all, 10 * sizeof(double) + 2 * sizeof(int32_t),
                           "contacts of a frame"));
  double *point = s->contact.memory, *normal = point + 3 * all, *force = normal + 3 * all;
  double *gap = force + 3 * all;
  int32_t *body = (int32_t *)(gap + all);
  const double dt = world->def.step / (double)world->def.substeps;
  for (size_t k = 0; k < all; k++) {
    for (int c = 0; c < 3; c++) {
      point[3 * k + c] = contact[k].point[c];
      normal[3 * k + c] = contact[k].normal[c];
      force[3 * k + c] = contact[k].impulse[c] / dt;
    }
    gap[k] = contact[k].gap;
    body[2 * k] = contact[k].body_a;
    body[2 * k + 1] = contact[k].body_b;
  }
  s->frame.contact_count = (int32_t)all;
  s->frame.contact_point = point;
  s->frame.contact_normal = normal;
  s->frame.contact_force = force;
  s->frame.contact_gap = gap;
  s->frame.contact_body = body;
  return TALUS_OK;
}

talus_status tl_snapshot_take(tl_snapshot *s, const talus_scene *scene, const talus_world *world,
                              const talus_step_report *report, int with_contacts) {
  memset(&s->frame, 0, sizeof s->frame);
  s->frame.step = talus_world_steps(world);
  s->frame.time = talus_world_time(world);
  s->frame.plane = world->def.plane;
  int32_t *index = NULL;
  TL_TRY(take_bodies(s, world, &index));
  TL_TRY(take_shapes(s, world, index));
  if (with_contacts) {
    TL_TRY(take_contacts(s, world));
  }
  double *all = s->value + tl_scalars_count(scene);
  TL_TRY(tl_scalars_fill(scene, world, report, all));
  for (int32_t i = 0; i < s->column_count; i++) {
    s->value[i] = all[s->chosen[i]];
  }
  s->frame.scalar_count = s->column_count;
  s->frame.scalar_column = s->column;
  s->frame.scalar = s->value;
  return TALUS_OK;
}
