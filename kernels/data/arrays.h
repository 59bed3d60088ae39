/* arrays.h: the one table of the arrays that describe a contact problem to the kernels.
 *
 * The host's tl_system (double) and the kernels' tl_view (either precision), allocation, upload
 * and byte counts all read this table: adding an array is one line here and its producer in
 * host/solve. Columns: element type, name, elements as a function of the shape s.
 *
 * The constraints (contacts and bilateral rows, both called contacts here) stand in internal
 * order: ranges of one kind, inside a range by colour or by body, cut into chunks of at most
 * TL_CHUNK that never cross a colour. Sums run over chunks, so that their rounding does not depend
 * on who computes them.
 *
 * Streamed arrays are planar (one plane per component); what is gathered through an index is
 * packed: impulses and normals three by three, a body's velocity in a record of eight reals, one
 * 32-byte sector in single and one cache line in double precision:
 *   vx vy vz inverse-mass  wx wy wz inverse-inertia      (the masses: spheres only, else 0)
 *
 * Contacts that resist spinning and rolling, or whose cone is an ellipse, have six rows. Their
 * torques are three-vectors like the forces (spinning along the contact's axis, rolling across it)
 * and stand behind all constraints: that of contact k at place contact_count + k. */
#ifndef TL_ARRAYS_H
#define TL_ARRAYS_H

#include <stdint.h>

enum { TL_CHUNK = 256, TL_RECORD = 8, TL_RANGE_MAX = 2 };

typedef enum tl_kind {
  TL_SPHERES = 0, /* rigid bodies, arms along the normal, isotropic inertia */
  TL_ARMS = 1,    /* rigid bodies in general */
  TL_BLOCKS = 2,  /* Jacobian blocks; the frame is (n, t1, t2) */
  TL_MATRIX = 3   /* rows of W; the frame is (n, t1, t2) */
} tl_kind;

/* Contacts of one kind: rows 1..3 of which the first is the normal, or one bilateral row. */
typedef struct tl_range {
  int32_t kind;
  int32_t rows;
  int32_t bilateral; /* 1: no cone, the impulse is free ... */
  int32_t bounded;   /* ... or, if 1 too, between the row's bounds */
  int32_t torque;    /* 1: every contact has a torque beside its force */
  int32_t first, count;
  int32_t chunk_first, chunk_count;
} tl_range;

/* One Jacobian block of a contact: where its columns begin among the velocities, how many. */
typedef struct tl_entry {
  int32_t offset, size;
  int64_t jacobian; /* rows x size reals from here, in jacobian and in response */
} tl_entry;

/* One Jacobian block as a body sees it. */
typedef struct tl_incidence {
  int32_t contact, rows;
  int64_t jacobian;
} tl_incidence;

/* All counts. */
typedef struct tl_shape {
  int32_t contact_count; /* with bilateral rows */
  int32_t rigid_contact_count;
  int32_t entry_base; /* the first contact that has entries */
  int32_t chunk_count, range_count;
  int32_t group_count; /* problems with bricks, ordered for sweeps: bricks; else 0 */
  int32_t
      unit_chunk_count; /* problems with bricks, whose sums are exact: pieces of at most TL_CHUNK
                               bodies within a brick; else 0 */
  int32_t bound_count;  /* bilateral rows if some of them have bounds, else 0 */
  int32_t compliance_count; /* contact_count if something gives way and W is not stored, else 0 */
  int32_t torque_count;     /* contacts, without bilateral rows, if they have six rows; else 0 */
  int32_t elliptic;         /* 1: some of them have an elliptic cone */
  tl_range range[TL_RANGE_MAX];
  int32_t body_kind;     /* TL_SPHERES or TL_ARMS: layout of the array body */
  int32_t rigid_count;   /* record rigid_count stands for all that cannot move: always 0 */
  int32_t block_count;   /* general blocks behind the records */
  int32_t velocity_size; /* reals in a velocity array; 3 contact_count for MATRIX */
  int64_t end_count, entry_count, incidence_count, jacobian_count, value_count, mass_count;
} tl_shape;

#define TL_IF(condition, count) ((condition) ? (int64_t)(count) : 0)
#define TL_HAS_ENTRIES(s) ((s)->entry_count > 0)
#define TL_HAS_ROWS(s) ((s)->range[0].kind == TL_MATRIX)
#define TL_HAS_BLOCKS(s) ((s)->range[0].kind == TL_BLOCKS)
/* Three-vectors of impulses: of all constraints, then the torques. */
#define TL_PLACES(s) ((int64_t)(s)->contact_count + (s)->torque_count)
#define TL_HAS_DIAGONAL(s) ((s)->range[0].kind != TL_SPHERES || (s)->torque_count > 0)

#define TL_ARRAY_LIST(PLAIN, REAL)                                                                 \
  PLAIN(int32_t, chunk_first, s->chunk_count + 1)                                                  \
  /* bricks: a group's chunks are treated one after the other, groups of a colour at once */       \
  PLAIN(int32_t, group_chunk, TL_IF(s->group_count > 0, s->group_count + 1))                       \
  PLAIN(int32_t, unit_first, TL_IF(s->unit_chunk_count > 0, s->unit_chunk_count + 1))              \
  /* rigid contacts: internal body, or rigid_count for what cannot move */                         \
  PLAIN(int32_t, body_a, s->rigid_contact_count)                                                   \
  PLAIN(int32_t, body_b, s->rigid_contact_count)                                                   \
  REAL(normal, 3 * (int64_t)s->rigid_contact_count)                                                \
  REAL(reach_a, TL_IF(s->body_kind == TL_SPHERES, s->rigid_contact_count))                         \
  REAL(reach_b, TL_IF(s->body_kind == TL_SPHERES, s->rigid_contact_count))                         \
  REAL(arm_a, TL_IF(s->body_kind == TL_ARMS, 3 * (int64_t)s->rigid_contact_count))                 \
  REAL(arm_b, TL_IF(s->body_kind == TL_ARMS, 3 * (int64_t)s->rigid_contact_count))                 \
  /* all contacts: q = D v + bias, S = (normal, largest tangential) of W_kk, w = tr(W_kk)/rows */  \
  REAL(free_x, TL_PLACES(s))                                                                       \
  REAL(free_y, TL_PLACES(s))                                                                       \
  REAL(free_z, TL_PLACES(s))                                                                       \
  REAL(scale_n, TL_PLACES(s))                                                                      \
  REAL(scale_t, TL_PLACES(s))                                                                      \
  REAL(friction, TL_PLACES(s))                                                                     \
  REAL(weight, TL_PLACES(s))                                                                       \
  /* torques, beside their friction, that of rolling: friction of spinning; W_kk of forces with */ \
  /* torques, 3x3, row-major; the step for a contact alone; an ellipse's squeeze */                \
  REAL(spin_friction, s->torque_count)                                                             \
  REAL(coupling, 9 * (int64_t)s->torque_count)                                                     \
  REAL(local_step, s->torque_count)                                                                \
  REAL(squeeze, TL_IF(s->elliptic, 3 * (int64_t)s->torque_count))                                  \
  /* W_kk in the contact frame, xx yy zz and xy xz yz; not for spheres of three rows */            \
  REAL(diagonal, TL_IF(TL_HAS_DIAGONAL(s), 3 * TL_PLACES(s)))                                      \
  REAL(mixed, TL_IF(TL_HAS_DIAGONAL(s), 3 * TL_PLACES(s)))                                         \
  /* bounds of the bilateral rows, from their range's first on; infinite where there is none */    \
  REAL(lower, s->bound_count)                                                                      \
  REAL(upper, s->bound_count)                                                                      \
  /* compliance C = diag(C_n, C_t, C_t) about the axis, beside what free, scale, weight and */     \
  /* diagonal already have of it; rows: C_n. MATRIX has it in its values */                        \
  REAL(compliance_n, s->compliance_count)                                                          \
  REAL(compliance_t, s->compliance_count)                                                          \
  /* general blocks: J and J M^-1 */                                                               \
  PLAIN(int32_t, entry_first, TL_IF(TL_HAS_ENTRIES(s), s->contact_count - s->entry_base + 1))      \
  PLAIN(tl_entry, entry, s->entry_count)                                                           \
  REAL(jacobian, s->jacobian_count)                                                                \
  REAL(response, s->jacobian_count)                                                                \
  /* the same of torques, at the places of the forces' */                                          \
  REAL(torque_jacobian, TL_IF(s->torque_count > 0 && TL_HAS_BLOCKS(s), s->jacobian_count))         \
  REAL(torque_response, TL_IF(s->torque_count > 0 && TL_HAS_BLOCKS(s), s->jacobian_count))         \
  /* rows of W in 3x3 blocks, row-major, unused entries 0 */                                       \
  PLAIN(int64_t, row_first, TL_IF(TL_HAS_ROWS(s), s->contact_count + 1))                           \
  PLAIN(int32_t, column, s->value_count)                                                           \
  REAL(value, 9 * s->value_count)                                                                  \
  /* bodies: SPHERES 4 each: 1/m 1/I m I; ARMS 16 each: 1/m I^-1(6) m I(6) 0 0 */                  \
  REAL(body, (s->body_kind == TL_SPHERES ? 4 : 16) * (int64_t)s->rigid_count)                      \
  /* ends of a body, ascending: 2 contact + (1 if the body is b) */                                \
  PLAIN(int32_t, end_first, s->rigid_count + 1)                                                    \
  PLAIN(int32_t, end, s->end_count)                                                                \
  PLAIN(int32_t, incidence_first, TL_IF(TL_HAS_ENTRIES(s), s->rigid_count + s->block_count + 1))   \
  PLAIN(tl_incidence, incidence, s->incidence_count)                                               \
  PLAIN(int32_t, block_offset, TL_IF(s->block_count > 0, s->block_count + 1))                      \
  PLAIN(int64_t, mass_first, s->block_count)                                                       \
  REAL(mass, s->mass_count)

#endif
