/* ranks.h: the program as one of several processes that mpirun or srun started: it loads
 * libtalus_mpi then, and the first process speaks and writes for all. */
#ifndef TL_CLI_RANKS_H
#define TL_CLI_RANKS_H

#include <stdbool.h>

#include "host/cli/options.h"
#include "talus/talus_ranks.h"

/* Joins the others, if there are any; an exit code, with a complaint that says how to build with
 * MPI. */
int tl_cli_ranks_begin(void);
/* Of work that is not shared: whether this process is one of several that were started and not the
 * first, and so has nothing to do. The first says so of the verb (NULL: says nothing), and what it
 * starts is alone. Needs no MPI. */
bool tl_cli_ranks_leave(const char *verb);
/* Leaves them. Does nothing where there were none. */
void tl_cli_ranks_end(void);
/* How they are reached; NULL: this process is alone. */
const talus_transport *tl_cli_ranks(void);
/* Whether this process is the one that speaks. */
bool tl_cli_ranks_speaks(void);
/* Threads of this process where nobody said how many: its share of the machine; 0: as alone. */
int tl_cli_ranks_threads(void);
/* The largest exit code of all. Where the first process has none, the one that failed tells why. */
int tl_cli_ranks_agree(int code);
/* What all of them make of their command lines: BAD or HELP if one of them does. */
tl_parsed tl_cli_ranks_parsed(tl_parsed parsed);
/* Whether any of them says so. */
bool tl_cli_ranks_any(bool own);
/* Keeps a complaint of a process that does not speak, for tl_cli_ranks_agree. */
void tl_cli_ranks_note(const char *message);

#endif
