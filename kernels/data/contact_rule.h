/* contact_rule.h: what a world says about all its contacts, and a material about springs. */
#ifndef TL_DATA_CONTACT_RULE_H
#define TL_DATA_CONTACT_RULE_H

#include <stdint.h>

typedef struct tl_contact_rule {
  double dt;                          /* s: the (sub-)step */
  double gravity;                     /* m/s2: its size */
  double size;                        /* m: the typical radius */
  double slop;                        /* of the smaller radius */
  double restitution_speed, bias_cap; /* m/s */
  double modulus;                     /* Pa: of softness AUTO; 0: none */
  int32_t newton;                     /* impacts rebound by Newton's rule; else Poisson's */
  int32_t by_bias;                    /* overlap leaves by a bias; else by projection */
  int32_t soft;                       /* some contacts may give way */
  int32_t unused;
} tl_contact_rule;

/* How a world chooses problem.velocity_scale; kernels/item/scale.h. */
typedef struct tl_scale_rule {
  double given;           /* m/s: above 0 the scale itself */
  double gravity, motion; /* shares of what forces change, and of what moves */
  double pull;            /* m/s: what gravity changes where no body is free */
} tl_scale_rule;

/* Springs of a material: N/m, or Pa and -; 0: not given. */
typedef struct tl_spring_material {
  double stiffness, young, poisson;
  int32_t rigid; /* not by the world's modulus */
  int32_t unused;
} tl_spring_material;

#endif
