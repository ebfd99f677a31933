# pawl_embed_scripts(OUTPUT file.cpp SCRIPTS a.lua b.lua …)
#
# Turns Lua files into one C++ file with a constant for each, pawl::redis::scripts::a, with its
# SHA-1. Comments would cost every server memory and every load bytes, so lines with only a comment
# are left out. The first line, which names the engine and its flags, stays.
#
# A line "--@ part" is replaced by parts/part.lua. A phrase, PHRASE(), is replaced by its definition: a line
# "-- PHRASE() is …" in a part. A script that contains HOLDER is built once for each layout, as plain_a with the
# phrases of parts/plain.lua, and as hash_a with those of parts/hash.lua. Each script that sends messages has two forms:
# with the phrases of parts/channels.lua, and with those of parts/sharded_channels.lua.
function(pawl_embed_scripts)
  cmake_parse_arguments(ARG "" "OUTPUT" "SCRIPTS" ${ARGN})
  set(generator ${PROJECT_SOURCE_DIR}/cmake/embed_script.cmake)
  string(REPLACE ";" "," scripts "${ARG_SCRIPTS}")
  file(GLOB parts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/scripts/parts/*.lua)
  add_custom_command(
    OUTPUT ${ARG_OUTPUT}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${ARG_OUTPUT} -DSCRIPTS=${scripts} -P ${generator}
    DEPENDS ${ARG_SCRIPTS} ${parts} ${generator}
    COMMENT "Embedding the Lua scripts"
    VERBATIM)
endfunction()
