/* value.h: what the readers of single values share. */
#ifndef TL_SCENE_VALUE_H
#define TL_SCENE_VALUE_H

#include "host/scene/schema.h"

/* "world.step wants a time, not 'fast'". where ends with a dot or is empty. */
talus_status tl_value_refuse(tl_parse *parse, const tl_key *key, const tl_node *node,
                             const char *where, const char *wanted);
/* A number with or without unit, in SI, within the key's range. */
talus_status tl_value_real(tl_parse *parse, const tl_key *key, const tl_node *node,
                           const char *where, double *value);
talus_status tl_value_integer(tl_parse *parse, const tl_key *key, const tl_node *node,
                              const char *where, int64_t *value);

#endif
