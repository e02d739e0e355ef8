// Exports one function per plugin kind that uses its interface, and one for the host's, so that debug information
// contains the types.
#include "compeer/chat.h"
#include "compeer/dataset.h"
#include "compeer/host.h"
#include "compeer/language_model.h"
#include "compeer/model.h"
#include "compeer/reward.h"
#include "compeer/reweighting.h"
#include "compeer/similarity.h"
#include "compeer/stage.h"

#define INTERFACE(kind, Interface) \
  extern "C" [[gnu::visibility("default")]] void kind(compeer::Interface&, compeer::Settings&) {}

INTERFACE(datasets, Dataset)
INTERFACE(models, Model)
INTERFACE(rewards, Reward)
INTERFACE(reweighting, Reweighting)
INTERFACE(similarity, Similarity)
INTERFACE(chat, Chat)
INTERFACE(stages, Stage)
INTERFACE(host, Host)
