/* queued.h: what is returned where a solve was queued and another is asked for. */
#ifndef TL_DATA_QUEUED_H
#define TL_DATA_QUEUED_H

/* No status of the library: whoever has had the solve queued makes it once more. */
#define TL_NOT_QUEUED ((talus_status)-1)

#endif
