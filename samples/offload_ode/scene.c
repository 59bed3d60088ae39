/* scene.c: the ODE side: a bin made of triangles, bodies, collision; nothing of Talus' is in the
 * way but the array of touches that it will be handed. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <string.h>
#include <time.h>

#include "offload_ode.h"

enum { POINTS_MAX = 8, STATE = 13 };
static const dReal size = 0.1; /* half edge or radius, m */
static const dReal erp = 0.2, push_out = 1, slop = 0.001;

/* Of this process alone: what else runs on the machine does not count. */
double offload_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- the bin: a square floor and four walls that lean outwards, ten triangles ---------------- */

static dReal corner[8 * 3];
static const dTriIndex triangle[10 * 3] = {0, 1, 2, 0, 2, 3, 0, 5, 1, 0, 4, 5, 1, 6, 2,
                                           1, 5, 6, 2, 7, 3, 2, 6, 7, 3, 4, 0, 3, 7, 4};

static void make_bin(offload *o, dReal half, dReal height) {
  static const int sign[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
  for (int i = 0; i < 8; i++) {
    const dReal reach = i < 4 ? half : half + height / 3;
    corner[3 * i] = (dReal)sign[i % 4][0] * reach;
    corner[3 * i + 1] = (dReal)sign[i % 4][1] * reach;
    corner[3 * i + 2] = i < 4 ? 0 : height;
  }
  o->mesh_data = dGeomTriMeshDataCreate();
#ifdef dSINGLE
  dGeomTriMeshDataBuildSingle(o->mesh_data, corner, 3 * sizeof(float), 8, triangle, 30,
                              3 * sizeof(dTriIndex));
#else
  dGeomTriMeshDataBuildDouble(o->mesh_data, corner, 3 * sizeof(double), 8, triangle, 30,
                              3 * sizeof(dTriIndex));
#endif
  dCreateTriMesh(o->space, o->mesh_data, NULL, NULL, NULL);
}

/* ---- bodies ---------------------------------------------------------------------------------- */

/* Number i: a box, a ball or a capsule. */
static dBodyID make_body(offload *o, int32_t i, const dReal *at) {
  const dBodyID body = dBodyCreate(o->world);
  dGeomID geom;
  dMass mass;
  if (i % 3 == 0) {
    geom = dCreateBox(o->space, 2 * size, 1.6 * size, 1.2 * size);
    dMassSetBox(&mass, 1000, 2 * size, 1.6 * size, 1.2 * size);
  } else if (i % 3 == 1) {
    geom = dCreateSphere(o->space, size * 0.9);
    dMassSetSphere(&mass, 1000, size * 0.9);
  } else {
    geom = dCreateCapsule(o->space, size * 0.6, size * 1.2);
    dMassSetCapsule(&mass, 1000, 3, size * 0.6, size * 1.2);
  }
  dBodySetMass(body, &mass);
  dGeomSetBody(geom, body);
  dBodySetPosition(body, at[0], at[1], at[2]);
  const dReal turn = (dReal)i;
  dMatrix3 rotation;
  dRFromAxisAndAngle(rotation, 1, dSin(turn), dCos(turn), turn);
  dBodySetRotation(body, rotation);
  dBodySetGyroscopicMode(body, 0); /* as the steps of solve.c have it */
  dBodySetData(body, (void *)(intptr_t)i);
  return body;
}

void offload_open(offload *o, int32_t bodies) {
  memset(o, 0, sizeof *o);
  dInitODE2(0);
  o->step = 0.005;
  o->friction = 0.5;
  o->world = dWorldCreate();
  o->space = dHashSpaceCreate(NULL);
  o->joints = dJointGroupCreate(0);
  dWorldSetGravity(o->world, 0, 0, -9.81);
  dWorldSetERP(o->world, erp);
  dWorldSetCFM(o->world, 0);
  dWorldSetContactMaxCorrectingVel(o->world, push_out);
  dWorldSetContactSurfaceLayer(o->world, slop);
  o->body_count = bodies;
  o->body = calloc((size_t)bodies, sizeof *o->body);
  o->grain = calloc((size_t)bodies, sizeof *o->grain);
  if (o->body == NULL || o->grain == NULL) {
    offload_stop("bodies", "out of memory");
  }
  const int32_t side = (int32_t)ceil(sqrt(bodies / 8.0)); /* eight layers */
  const dReal pitch = 2.7 * size;
  make_bin(o, side * pitch / 2 + size, 4);
  for (int32_t i = 0; i < bodies; i++) {
    const dReal at[3] = {(i % side - (side - 1) / 2.0) * pitch,
                         (i / side % side - (side - 1) / 2.0) * pitch,
                         2 * size + i / (side * side) * pitch};
    o->body[i] = make_body(o, i, at);
  }
  if (talus_context_create(NULL, &o->context) != TALUS_OK) {
    offload_stop("talus_context_create", "failed");
  }
  OFFLOAD_TRY(o, talus_solver_create(o->context, NULL, &o->solver));
  offload_collide(o);
}

void offload_close(offload *o) {
  talus_solver_destroy(o->solver);
  talus_context_destroy(o->context);
  dJointGroupDestroy(o->joints);
  dSpaceDestroy(o->space);
  dGeomTriMeshDataDestroy(o->mesh_data);
  dWorldDestroy(o->world);
  dCloseODE();
  free(o->body);
  free(o->grain);
  free(o->touch);
  free(o->before);
  free(o->feedback);
}

/* ---- collision ------------------------------------------------------------------------------- */

/* Talus' first tangent to a normal (talus_solve.h), so that ODE's box of friction lies alike. */
static void tangent(const dReal *n, dReal *t) {
  const dReal s = n[2] >= 0 ? 1 : -1, b = -1 / (s + n[2]);
  t[0] = 1 + s * n[0] * n[0] * b;
  t[1] = s * n[0] * n[1] * b;
  t[2] = -s * n[0];
}

static void make_room(offload *o) {
  if (o->touch_count < o->touch_capacity) {
    return;
  }
  o->touch_capacity = 2 * o->touch_capacity + 1024;
  o->touch = realloc(o->touch, (size_t)o->touch_capacity * sizeof *o->touch);
  if (o->touch == NULL) {
    offload_stop("touches", "out of memory");
  }
}

static touch *next_touch(offload *o) {
  make_room(o);
  touch *const t = &o->touch[o->touch_count++];
  memset(t, 0, sizeof *t);
  return t;
}

static int32_t number_of(dBodyID body) {
  return body == NULL ? -1 : (int32_t)(intptr_t)dBodyGetData(body);
}

/* ODE's normal points into its first body, which is Talus' b. */
static void add_touch(offload *o, const dContactGeom *geom, dBodyID first, dBodyID second) {
  touch *const t = next_touch(o);
  const int turned = first == NULL;
  const dBodyID b = turned ? second : first, a = turned ? NULL : second;
  t->contact.geom = *geom;
  t->a = number_of(a);
  t->b = number_of(b);
  for (int c = 0; c < 3; c++) {
    t->contact.geom.normal[c] = turned ? -geom->normal[c] : geom->normal[c];
    t->arm_b[c] = geom->pos[c] - dBodyGetPosition(b)[c];
    t->arm_a[c] = a == NULL ? 0 : geom->pos[c] - dBodyGetPosition(a)[c];
  }
  tangent(t->contact.geom.normal, t->contact.fdir1);
  t->contact.surface.mode = dContactApprox1 | dContactFDir1;
  t->contact.surface.mu = o->friction;
  const dReal deep = geom->depth > slop ? geom->depth - slop : 0, push = erp * deep / o->step;
  t->bias = -(push < push_out ? push : push_out);
  const uint64_t low = (uint64_t)((t->a < t->b ? t->a : t->b) + 1);
  t->pair = low << 32 | (uint64_t)((t->a < t->b ? t->b : t->a) + 1);
}

static void near_pair(void *user, dGeomID x, dGeomID y) {
  dContactGeom found[POINTS_MAX];
  offload *const o = user;
  const dBodyID first = dGeomGetBody(x), second = dGeomGetBody(y);
  if (first == NULL && second == NULL) {
    return;
  }
  const int count = dCollide(x, y, POINTS_MAX, found, sizeof *found);
  for (int i = 0; i < count; i++) {
    add_touch(o, &found[i], first, second);
  }
}

static int by_pair(const void *x, const void *y) {
  const uint64_t a = ((const touch *)x)->pair, b = ((const touch *)y)->pair;
  return a < b ? -1 : a > b;
}

static double distance(const touch *x, const touch *y) {
  double sum = 0;
  for (int c = 0; c < 3; c++) {
    const double d = x->contact.geom.pos[c] - y->contact.geom.pos[c];
    sum += d * d;
  }
  return sqrt(sum);
}

/* Of the last step's contacts of the same pair, from[0 .. count - 1], the nearest one gives its
 * impulse, once. */
static void inherit(touch *t, touch *from, int32_t count) {
  double least = size / 2;
  touch *nearest = NULL;
  for (int32_t i = 0; i < count && from[i].pair == t->pair; i++) {
    const double away = distance(t, &from[i]);
    if (!from[i].taken && away < least) {
      least = away;
      nearest = &from[i];
    }
  }
  if (nearest != NULL) {
    nearest->taken = 1;
    for (int c = 0; c < 3; c++) { /* ODE may have found the pair the other way round */
      t->impulse[c] = nearest->b == t->b ? nearest->impulse[c] : -nearest->impulse[c];
    }
  }
}

void offload_collide(offload *o) {
  touch *const kept = o->touch;
  const int32_t room = o->touch_capacity;
  o->touch = o->before;
  o->before = kept;
  o->before_count = o->touch_count;
  o->touch_count = 0;
  o->touch_capacity = o->before_capacity;
  o->before_capacity = room;
  make_room(o);
  dSpaceCollide(o->space, o, near_pair);
  qsort(o->touch, (size_t)o->touch_count, sizeof *o->touch, by_pair);
  for (int32_t i = 0, k = 0; i < o->touch_count; i++) {
    while (k < o->before_count && o->before[k].pair < o->touch[i].pair) {
      k++;
    }
    inherit(&o->touch[i], o->before + k, o->before_count - k);
  }
}

/* ---- the state of all bodies ----------------------------------------------------------------- */

void offload_save(const offload *o, double *state) {
  for (int32_t i = 0; i < o->body_count; i++, state += STATE) {
    for (int c = 0; c < 4; c++) {
      state[3 + c] = dBodyGetQuaternion(o->body[i])[c];
    }
    for (int c = 0; c < 3; c++) {
      state[c] = dBodyGetPosition(o->body[i])[c];
      state[7 + c] = dBodyGetLinearVel(o->body[i])[c];
      state[10 + c] = dBodyGetAngularVel(o->body[i])[c];
    }
  }
}

void offload_load(offload *o, const double *state) {
  for (int32_t i = 0; i < o->body_count; i++, state += STATE) {
    const dQuaternion turn = {state[3], state[4], state[5], state[6]};
    dBodySetPosition(o->body[i], state[0], state[1], state[2]);
    dBodySetQuaternion(o->body[i], turn);
    dBodySetLinearVel(o->body[i], state[7], state[8], state[9]);
    dBodySetAngularVel(o->body[i], state[10], state[11], state[12]);
  }
}
