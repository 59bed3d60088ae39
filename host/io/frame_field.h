/* frame_field.h: the quantities of a frame's bodies that pictures can show as colours: name, word
 * in options and scene files, label, unit. Scene files name them, host/view computes and draws
 * them. */
#ifndef TL_FRAME_FIELD_H
#define TL_FRAME_FIELD_H

/* What free bodies are coloured by; fixed ones are grey, kinematic ones blue, links yellow.
 * COORDINATION counts bodies that press on one, each once; PRESSURE is the trace of the sum of
 * force times arm over its contacts, over three (plane: two) volumes of the ball around it. */
#define TL_FIELD_LIST(X)                                         \
  X(PLAIN, "plain", "", "")                                      \
  X(SPEED, "speed", "speed", "length/time")                      \
  X(SPIN, "spin", "angular velocity", "1/time")                  \
  X(ID, "id", "", "")                                            \
  X(MATERIAL, "material", "", "")                                \
  X(RADIUS, "radius", "radius", "length")                        \
  X(HEIGHT, "height", "height", "length")                        \
  X(FORCE, "force", "sum of contact forces", "force")            \
  X(COORDINATION, "coordination", "bodies that touch", "")       \
  X(PRESSURE, "pressure", "pressure", "force/area")              \
  X(VELOCITY_X, "velocity_x", "velocity along x", "length/time") \
  X(VELOCITY_Y, "velocity_y", "velocity along y", "length/time") \
  X(VELOCITY_Z, "velocity_z", "velocity along z", "length/time")

typedef enum tl_field {
#define TL_FIELD_ENUM(name, word, label, unit) TL_FIELD_##name,
  TL_FIELD_LIST(TL_FIELD_ENUM)
#undef TL_FIELD_ENUM
      TL_FIELD_COUNT,
  TL_FIELD_VALUE = TL_FIELD_COUNT /* tl_frame.value: no word of its own */
} tl_field;

#endif
