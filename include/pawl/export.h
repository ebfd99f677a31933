// PAWL_EXPORT marks what the shared library offers; everything else is hidden.
#pragma once

#define PAWL_EXPORT __attribute__((visibility("default")))
