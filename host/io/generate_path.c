/* generate_path.c: how far a rolling sphere gets: free fall, and arcs on one or two surfaces.
 *
 * On an arc the centre is c + rho (cos e1 + sin e2). Whatever can end it, another sphere, a wall or
 * the loss of a carrier, has the form A cos + B sin >= C; the first violation is found as a
 * point (cos, sin) on the unit circle and compared by its cosine, the arc being less than half a
 * turn. So only + - * / and square root decide, and the result is the same everywhere. */
#include "host/io/generate_path.h"

#include <math.h>

typedef struct arc {
  double centre[3], e1[3], e2[3], rho;
  double cosine, sine; /* the end found so far */
} arc;

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

void tl_path_fall(const tl_packing *packing, double radius, double p[3]) {
  const double reach_max = radius + packing->radius_max;
  const double touch = TL_TOUCH * packing->radius_mean;
  double best = radius; /* the floor */
  int32_t layers[3], unused[3];
  tl_packing_cells(packing, p, p, layers, unused);
  int32_t layer = layers[2] < packing->layer_top ? layers[2] : packing->layer_top;
  /* From the top down, until a layer cannot reach above what was found. The last layer may hold
   * anything above it, and is always looked at. */
  for (; layer >= 0; layer--) {
    const bool is_last = layer == packing->size[2] - 1;
    if (!is_last && ((double)layer + 1.0) * packing->cell + reach_max < best) {
      break;
    }
    const double z = ((double)layer + 0.5) * packing->cell;
    const double low[3] = {p[0] - reach_max, p[1] - reach_max, z};
    const double high[3] = {p[0] + reach_max, p[1] + reach_max, z};
    TL_EACH_SPHERE(packing, low, high, j) {
      const tl_sphere s = packing->sphere[j];
      const double reach = s.r + radius, x = p[0] - s.x, y = p[1] - s.y;
      const double square = reach * reach - x * x - y * y;
      if (square > 2.0 * reach * TL_PRESS * packing->radius_mean) {
        const double height = s.z + sqrt(square);
        if (height > best && height <= p[2] + touch) {
          best = height;
        }
      }
    }
  }
  p[2] = best;
}

/* Ends the arc where A cos + B sin falls below C, if that comes before the end found so far. */
static void arc_limit(arc *path, double a, double b, double c) {
  const double square = a * a + b * b;
  const double rest = square - c * c;
  if (rest <= 0.0) {
    return;
  }
  const double root = sqrt(rest);
  const double cosine = (a * c - b * root) / square;
  const double sine = (b * c + a * root) / square;
  if (sine > 0.0 && cosine > path->cosine) {
    path->cosine = cosine;
    path->sine = sine;
  }
}

/* Circle of points at distance `first` from sphere s, cut by sphere t or by a wall: centre, axis,
 * rho. `along` is the signed distance of the centre from s along the axis. */
static bool circle_of_pair(const tl_packing *packing, double radius, const tl_sphere *s,
                           int32_t second, arc *path, double axis[3], double *along,
                           double *distance) {
  const double first = s->r + radius;
  const double from[3] = {s->x, s->y, s->z};
  if (second >= 0) {
    const tl_sphere t = packing->sphere[second];
    const double reach = t.r + radius;
    axis[0] = t.x - s->x;
    axis[1] = t.y - s->y;
    axis[2] = t.z - s->z;
    *distance = sqrt(dot(axis, axis));
    for (int i = 0; i < 3; i++) {
      axis[i] /= *distance;
    }
    *along = (*distance * *distance + first * first - reach * reach) / (2.0 * *distance);
  } else {
    double offset;
    tl_packing_wall(packing, second, axis, &offset);
    *distance = 0.0;
    *along = offset + radius - dot(axis, from);
  }
  const double square = first * first - *along * *along;
  if (square <= 1e-12 * first * first) {
    return false;
  }
  for (int i = 0; i < 3; i++) {
    path->centre[i] = from[i] + *along * axis[i];
  }
  path->rho = sqrt(square);
  return true;
}

/* e1 from the circle's centre to p, e2 across it and the axis, both unit, e2 downhill. */
static bool arc_frame(arc *path, const double p[3], const double axis[3],
                      const double direction[3]) {
  double out[3];
  for (int i = 0; i < 3; i++) {
    out[i] = p[i] - path->centre[i];
  }
  const double shift = dot(out, axis);
  for (int i = 0; i < 3; i++) {
    out[i] -= shift * axis[i];
  }
  const double length = sqrt(dot(out, out));
  if (!(length > 0.0)) {
    return false;
  }
  for (int i = 0; i < 3; i++) {
    path->e1[i] = out[i] / length;
  }
  path->e2[0] = axis[1] * path->e1[2] - axis[2] * path->e1[1];
  path->e2[1] = axis[2] * path->e1[0] - axis[0] * path->e1[2];
  path->e2[2] = axis[0] * path->e1[1] - axis[1] * path->e1[0];
  const double sign = dot(path->e2, direction) < 0.0 ? -1.0 : 1.0;
  for (int i = 0; i < 3; i++) {
    path->e2[i] *= sign;
  }
  return path->e2[2] < 0.0;
}

static void limit_walls(const tl_packing *packing, double radius, int32_t second, arc *path) {
  for (int32_t wall = TL_FLOOR; wall >= -TL_WALL_COUNT; wall--) {
    double normal[3], offset;
    if (wall == second) {
      continue;
    }
    tl_packing_wall(packing, wall, normal, &offset);
    const double a = path->rho * dot(normal, path->e1);
    const double b = path->rho * dot(normal, path->e2);
    const double c = offset + radius - dot(normal, path->centre);
    const bool touches = a - c <= TL_TOUCH * packing->radius_mean;
    arc_limit(path, a, b, touches ? c - TL_PRESS * packing->radius_mean : c);
  }
}

/* |p - s|^2 >= reach^2 on the circle: 2 rho (centre - s) . (cos e1 + sin e2) >= C. Only spheres
 * near the triangle that holds the arc up to its present end can be in the way. */
static void limit_spheres(const tl_packing *packing, double radius, int32_t first, int32_t second,
                          arc *path) {
  const double range = radius + packing->radius_max;
  double low[3], high[3];
  for (int i = 0; i < 3; i++) {
    const double start = path->rho * path->e1[i];
    const double end = path->rho * (path->cosine * path->e1[i] + path->sine * path->e2[i]);
    const double sum = start + end; /* beyond the meeting point of the two tangents */
    low[i] = path->centre[i] + fmin(fmin(start, end), sum) - range;
    high[i] = path->centre[i] + fmax(fmax(start, end), sum) + range;
  }
  TL_EACH_SPHERE(packing, low, high, j) {
    const tl_sphere s = packing->sphere[j];
    const double out[3] = {path->centre[0] - s.x, path->centre[1] - s.y, path->centre[2] - s.z};
    const double reach = s.r + radius, square = dot(out, out);
    const double limit = reach + path->rho;
    if (j == first || j == second || square >= limit * limit) {
      continue;
    }
    const double a = 2.0 * path->rho * dot(out, path->e1);
    const double b = 2.0 * path->rho * dot(out, path->e2);
    const double c = reach * reach - square - path->rho * path->rho;
    const double unit = 2.0 * reach * packing->radius_mean;
    arc_limit(path, a, b, a - c <= TL_TOUCH * unit ? c - TL_PRESS * unit : c);
  }
}

/* Where the carriers stop pushing. With z = the vertical part along the moving radius, the shares
 * of the two are ((distance - along) z / rho + axis_z) / distance and (along z / rho - axis_z) /
 * distance; a single carrier, or one beside a wall, carries while z > 0. */
static void limit_carriers(arc *path, int is_pair, double along, double distance, double axis_z) {
  const double z1 = path->e1[2], z2 = path->e2[2];
  const double length = sqrt(z1 * z1 + z2 * z2);
  /* z = 0, at most a quarter turn away */
  path->cosine = -z2 / length;
  path->sine = z1 / length;
  if (is_pair) {
    const double other = distance - along;
    arc_limit(path, other * z1 / path->rho, other * z2 / path->rho, -axis_z);
    arc_limit(path, along * z1 / path->rho, along * z2 / path->rho, axis_z);
  }
}

bool tl_path_roll(const tl_packing *packing, double radius, int32_t first, int32_t second,
                  const double direction[3], double p[3]) {
  if (first < 0) { /* a wall first: the sphere is the second carrier */
    const int32_t wall = first;
    first = second;
    second = wall;
  }
  if (first < 0) {
    return false;
  }
  const tl_sphere s = packing->sphere[first];
  double axis[3] = {0.0, 0.0, 0.0}, along = 0.0, distance = 0.0;
  arc path;
  if (second == TL_NOBODY) {
    /* The axis of a meridian: horizontal, across the way down. */
    const double across = sqrt(direction[0] * direction[0] + direction[1] * direction[1]);
    axis[0] = direction[1] / across;
    axis[1] = -direction[0] / across;
    path.centre[0] = s.x;
    path.centre[1] = s.y;
    path.centre[2] = s.z;
    path.rho = s.r + radius;
  } else if (!circle_of_pair(packing, radius, &s, second, &path, axis, &along, &distance)) {
    return false;
  }
  if (!arc_frame(&path, p, axis, direction) || path.e1[2] <= 0.0) {
    return false;
  }
  limit_carriers(&path, second >= 0, along, distance, axis[2]);
  limit_walls(packing, radius, second, &path);
  limit_spheres(packing, radius, first, second, &path);
  for (int i = 0; i < 3; i++) {
    p[i] = path.centre[i] + path.rho * (path.cosine * path.e1[i] + path.sine * path.e2[i]);
  }
  return true;
}
