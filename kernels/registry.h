/* registry.h: which backends this build has. */
#ifndef TL_REGISTRY_H
#define TL_REGISTRY_H

#include "kernels/backend.h"

/* NULL if this build lacks it. */
const tl_backend *tl_backend_find(talus_backend_kind kind);

#endif
