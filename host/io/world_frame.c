/* world_frame.c: fills a frame from a world, and writes frames of a world as ParaView files.
 *
 * Bodies that were removed are left out. */
#include "host/io/world_frame.h"

#include <math.h>
#include <string.h>

#include "host/base/structs.h"
#include "host/io/vtk.h"
#include "host/world/spread.h"
#include "talus/talus_io.h"

/* Arrays of doubles first, then those of int32_t, in one piece of memory. */
static talus_status take_bodies(tl_world_frame *f, const talus_world *world, int32_t **index) {
  const size_t all = (size_t)world->body_count;
  TL_TRY(tl_buffer_reserve(world->context, &f->body, all, 15 * sizeof(double) + 4 * sizeof(int32_t),
                           "bodies of a frame"));
  double *position = f->body.memory, *orientation = position + 3 * all;
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
  tl_frame *frame = &f->frame;
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
  const tl_geometry *geometry = &shape->geometry;
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

static talus_status take_shapes(tl_world_frame *f, const talus_world *world, const int32_t *index) {
  const size_t all = (size_t)world->shape_count;
  TL_TRY(tl_buffer_reserve(world->context, &f->shape, all,
                           sizeof(tl_pose) + sizeof(tl_geometry *) + 2 * sizeof(int32_t),
                           "shapes of a frame"));
  tl_pose *pose = f->shape.memory;
  const tl_geometry **geometry = (const tl_geometry **)(pose + all);
  int32_t *body = (int32_t *)(geometry + all), *material = body + all;
  double *radius = (double *)f->frame.radius;
  int32_t n = 0;
  for (int32_t i = 0; i < world->shape_count; i++) {
    const tl_shape_slot *shape = &world->shape[i];
    if (!shape->exists || index[shape->body] < 0) {
      continue;
    }
    memcpy(pose[n].position, shape->position, sizeof shape->position);
    memcpy(pose[n].rotation, tl_shape_rotation(world, shape), sizeof pose[n].rotation);
    geometry[n] = &shape->geometry;
    body[n] = index[shape->body];
    material[n] = shape->material;
    const double reach = sqrt(tl_dot3(shape->position, shape->position)) + reach_of(shape);
    radius[body[n]] = fmax(radius[body[n]], reach);
    n++;
  }
  f->frame.shape_count = n;
  f->frame.shape_body = body;
  f->frame.shape_geometry = geometry;
  f->frame.shape_pose = pose;
  f->frame.shape_material = material;
  return TALUS_OK;
}

static talus_status take_contacts(tl_world_frame *f, const talus_world *world) {
  const talus_contact *contact = NULL;
  const int32_t count = talus_world_contacts(world, &contact);
  if (count < 0) {
    return TALUS_OUT_OF_MEMORY; /* and the message is there */
  }
  const size_t all = (size_t)count;
  TL_TRY(tl_buffer_reserve(world->context, &f->contact, all,
                           10 * sizeof(double) + 2 * sizeof(int32_t), "contacts of a frame"));
  double *point = f->contact.memory, *normal = point + 3 * all, *force = normal + 3 * all;
  double *gap = force + 3 * all;
  int32_t *body = (int32_t *)(gap + all);
  const double dt = tl_part_seconds(world);
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
  f->frame.contact_count = (int32_t)all;
  f->frame.contact_point = point;
  f->frame.contact_normal = normal;
  f->frame.contact_force = force;
  f->frame.contact_gap = gap;
  f->frame.contact_body = body;
  return TALUS_OK;
}

talus_status tl_world_frame_take(tl_world_frame *f, const talus_world *world, bool contacts) {
  TL_TRY(contacts ? tl_world_read(world) : tl_bodies_read(world));
  TL_TRY(tl_bodies_whole(world));
  int32_t *index = NULL;
  memset(&f->frame, 0, sizeof f->frame);
  f->frame.step = talus_world_steps(world);
  f->frame.time = talus_world_time(world);
  f->frame.plane = world->def.plane;
  f->frame.periodic = world->cell.def.periodic;
  memcpy(f->frame.origin, world->cell.def.origin, sizeof f->frame.origin);
  memcpy(f->frame.edge, world->cell.def.edge, sizeof f->frame.edge);
  memcpy(f->frame.rate, world->cell.def.rate, sizeof f->frame.rate);
  TL_TRY(take_bodies(f, world, &index));
  TL_TRY(take_shapes(f, world, index));
  f->frame.bond_count = talus_world_bonds(world, &f->frame.bond);
  if (f->frame.bond_count < 0) {
    return TALUS_OUT_OF_MEMORY; /* and the message is there */
  }
  return contacts ? take_contacts(f, world) : TALUS_OK;
}

void tl_world_frame_release(talus_context *context, tl_world_frame *f) {
  tl_buffer_release(context, &f->body);
  tl_buffer_release(context, &f->shape);
  tl_buffer_release(context, &f->contact);
  memset(f, 0, sizeof *f);
}

/* ---- the public functions ---- */

struct talus_frames {
  talus_context *context;
  tl_vtk_writer *writer; /* NULL: of a rank that is not the first, which writes for all */
  tl_world_frame frame;
  bool contacts;
};

void talus_frames_def_init(talus_frames_def *def, size_t size) {
  static const talus_frames_def defaults = {.contacts = 1, .resume = -1};
  tl_struct_init(&tl_struct_frames_def, &defaults, def, size);
}

talus_status talus_frames_open(talus_context *context, const char *directory,
                               const talus_frames_def *given, talus_frames **frames) {
  void *memory = NULL;
  if (context == NULL || directory == NULL || frames == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  *frames = NULL;
  talus_frames_def def = talus_frames_def_default();
  if (given != NULL) {
    TL_TRY(tl_struct_read(context, &tl_struct_frames_def, "frames def", given, &def));
  }
  TL_TRY(tl_ranks_agree(context,
                        tl_alloc(context, &memory, 1, sizeof(talus_frames), "a writer of frames")));
  talus_frames *const made = memory;
  memset(made, 0, sizeof *made);
  made->context = context;
  made->contacts = def.contacts != 0;
  const talus_status status = tl_ranks_agree(
      context, tl_ranks_first(context) ? tl_vtk_open(context, directory, def.resume, &made->writer)
                                       : TALUS_OK);
  if (status != TALUS_OK) {
    tl_vtk_close(made->writer);
    tl_free(context, made);
    return status;
  }
  *frames = made;
  return TALUS_OK;
}

static talus_status write_frame(talus_frames *frames, const talus_world *world) {
  TL_TRY(tl_world_frame_take(&frames->frame, world, frames->contacts));
  return tl_vtk_write(frames->writer, &frames->frame.frame);
}

talus_status talus_frames_write(talus_frames *frames, const talus_world *world) {
  if (frames == NULL || world == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  TL_TRY(tl_first_read(world, frames->contacts));
  const talus_status status = tl_ranks_agree(
      world->context, frames->writer != NULL ? write_frame(frames, world) : TALUS_OK);
  tl_first_done(world);
  return status;
}

void talus_frames_close(talus_frames *frames) {
  if (frames == NULL) {
    return;
  }
  tl_vtk_close(frames->writer);
  tl_world_frame_release(frames->context, &frames->frame);
  tl_free(frames->context, frames);
}
