/* geometry_ray.c: where a ray meets a shape, in the shape's frame; for pictures.
 *
 * A ray that begins inside a solid meets it at once, facing back. A mesh is a surface: the first
 * triangle counts, with its own normal whichever side is met. */
#include "host/collide/collide.h"
#include "host/collide/mesh.h"
#include "host/math/vector.h"

typedef struct ray {
  const double *origin, *direction;
} ray;

static double inside(const ray *r, double normal[3]) {
  tl_scale3(normal, -1, r->direction);
  return 0;
}

/* A ball around a local point. */
static double ball(const ray *r, const double centre[3], double radius, double normal[3]) {
  double from[3];
  tl_sub3(from, r->origin, centre);
  const double b = tl_dot3(from, r->direction), c = tl_dot3(from, from) - radius * radius;
  if (c <= 0) {
    return inside(r, normal);
  }
  const double root = b * b - c;
  if (!(root >= 0) || b >= 0) {
    return INFINITY;
  }
  const double t = c / (-b + sqrt(root));
  tl_along3(normal, from, t, r->direction);
  tl_unit3(normal);
  return t;
}

/* What is inside of all planes: enters through the last, leaves through the first. */
typedef struct passage {
  double enter, leave, normal[3];
} passage;

static void pass_plane(const ray *r, const double n[3], double d, passage *p) {
  const double height = tl_dot3(n, r->origin) - d, rate = tl_dot3(n, r->direction);
  if (rate < 0) {
    if (-height / rate > p->enter) {
      p->enter = -height / rate;
      tl_copy3(p->normal, n);
    }
  } else if (rate > 0) {
    p->leave = fmin(p->leave, -height / rate);
  } else if (height > 0) {
    p->leave = -INFINITY;
  }
}

static double pass_end(const ray *r, const passage *p, double normal[3]) {
  if (!(p->enter <= p->leave) || p->leave < 0) {
    return INFINITY;
  }
  if (p->enter < 0) {
    return inside(r, normal);
  }
  tl_copy3(normal, p->normal);
  return p->enter;
}

static double box(const ray *r, const double half[3], double normal[3]) {
  passage p = {-INFINITY, INFINITY, {0, 0, 0}};
  for (int k = 0; k < 6; k++) {
    double n[3] = {0, 0, 0};
    n[k / 2] = k & 1 ? 1 : -1;
    pass_plane(r, n, half[k / 2], &p);
  }
  return pass_end(r, &p, normal);
}

static double hull_ray(const ray *r, const tl_hull *hull, double normal[3]) {
  passage p = {-INFINITY, INFINITY, {0, 0, 0}};
  for (int32_t f = 0; f < hull->face_count; f++) {
    pass_plane(r, hull->face_plane + 4 * f, hull->face_plane[4 * f + 3], &p);
  }
  return pass_end(r, &p, normal);
}

/* The endless cylinder of a radius around z, as part of a passage. */
static void pass_round(const ray *r, double radius, passage *p) {
  const double *const o = r->origin, *const d = r->direction;
  const double a = d[0] * d[0] + d[1] * d[1], b = o[0] * d[0] + o[1] * d[1];
  const double c = o[0] * o[0] + o[1] * o[1] - radius * radius;
  const double root = b * b - a * c;
  if (!(a > 0)) {
    p->leave = c > 0 ? -INFINITY : p->leave;
    return;
  }
  if (!(root >= 0)) {
    p->leave = -INFINITY;
    return;
  }
  const double enter = (-b - sqrt(root)) / a, leave = (-b + sqrt(root)) / a;
  if (enter > p->enter) {
    p->enter = enter;
    tl_set3(p->normal, (o[0] + enter * d[0]) / radius, (o[1] + enter * d[1]) / radius, 0);
  }
  p->leave = fmin(p->leave, leave);
}

static double cylinder(const ray *r, double radius, double half, double normal[3]) {
  const double up[3] = {0, 0, 1}, down[3] = {0, 0, -1};
  passage p = {-INFINITY, INFINITY, {0, 0, 0}};
  pass_plane(r, up, half, &p);
  pass_plane(r, down, half, &p);
  pass_round(r, radius, &p);
  return pass_end(r, &p, normal);
}

static double capsule(const ray *r, double radius, double half, double normal[3]) {
  double best = half > 0 ? cylinder(r, radius, half, normal) : INFINITY;
  for (int k = 0; k < 2; k++) {
    const double centre[3] = {0, 0, k ? half : -half};
    double here[3] = {0, 0, 0};
    const double t = ball(r, centre, radius, here);
    /* the caps of the cylinder lie inside the balls: they are never met first */
    if (t < best) {
      best = t;
      tl_copy3(normal, here);
    }
  }
  return best;
}

static double halfspace(const ray *r, double normal[3]) {
  if (r->origin[2] <= 0) {
    return inside(r, normal);
  }
  if (!(r->direction[2] < 0)) {
    return INFINITY;
  }
  tl_set3(normal, 0, 0, 1);
  return -r->origin[2] / r->direction[2];
}

static double triangle(const ray *r, const tl_mesh *mesh, int32_t index) {
  const int32_t *const t = mesh->triangle + 3 * index;
  const double *const p = mesh->point + 3 * t[0];
  double u[3], v[3], across[3], from[3], turned[3];
  tl_sub3(u, mesh->point + 3 * t[1], p);
  tl_sub3(v, mesh->point + 3 * t[2], p);
  tl_cross3(across, r->direction, v);
  const double det = tl_dot3(u, across);
  if (det == 0) {
    return INFINITY;
  }
  tl_sub3(from, r->origin, p);
  const double s = tl_dot3(from, across) / det;
  tl_cross3(turned, from, u);
  const double q = tl_dot3(r->direction, turned) / det;
  const double distance = tl_dot3(v, turned) / det;
  return s >= 0 && q >= 0 && s + q <= 1 && distance >= 0 ? distance : INFINITY;
}

/* Does the ray meet the box nearer than `best`? */
static bool meets_box(const ray *r, const tl_box *b, double best) {
  double enter = 0, leave = best;
  for (int i = 0; i < 3; i++) {
    if (r->direction[i] == 0) {
      if (r->origin[i] < b->lower[i] || r->origin[i] > b->upper[i]) {
        return false;
      }
      continue;
    }
    const double t = (b->lower[i] - r->origin[i]) / r->direction[i];
    const double s = (b->upper[i] - r->origin[i]) / r->direction[i];
    enter = fmax(enter, fmin(t, s));
    leave = fmin(leave, fmax(t, s));
  }
  return enter <= leave * (1 + 1e-12);
}

static double mesh_ray(const ray *r, const tl_mesh *mesh, double normal[3]) {
  double best = INFINITY;
  int32_t found = -1, at = 0;
  while (at < mesh->node_count) {
    const tl_mesh_node *const node = &mesh->node[at];
    if (!meets_box(r, &node->box, best)) {
      at = node->skip;
      continue;
    }
    for (int32_t k = 0; k < node->count; k++) {
      const int32_t index = mesh->order[node->first + k];
      const double t = triangle(r, mesh, index);
      if (t < best || (t == best && t < INFINITY && index < found)) {
        best = t;
        found = index;
      }
    }
    at++;
  }
  if (found >= 0) {
    tl_copy3(normal, mesh->normal + 3 * found);
  }
  return best;
}

double tl_geometry_ray(const tl_geometry *g, const double origin[3], const double direction[3],
                       double normal[3]) {
  const ray r = {origin, direction};
  const double centre[3] = {0, 0, 0};
  tl_set3(normal, 0, 0, 0);
  switch (g->kind) {
  case TALUS_SHAPE_SPHERE:
    return ball(&r, centre, g->radius, normal);
  case TALUS_SHAPE_BOX:
    return box(&r, g->half_edge, normal);
  case TALUS_SHAPE_CAPSULE:
    return capsule(&r, g->radius, g->half_length, normal);
  case TALUS_SHAPE_CYLINDER:
    return cylinder(&r, g->radius, g->half_length, normal);
  case TALUS_SHAPE_HULL:
    return hull_ray(&r, g->hull, normal);
  case TALUS_SHAPE_MESH:
    return mesh_ray(&r, g->mesh, normal);
  default:
    return halfspace(&r, normal);
  }
}
