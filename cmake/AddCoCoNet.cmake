# add_coconet_library(name [RECURSE] [LINK_LIBS ...])
#
# A static library of every source of the current folder (with RECURSE: and of
# the folders below it). Each one depends on all generated headers: a library
# that includes one without depending on it fails now and then.
function(add_coconet_library name)
  cmake_parse_arguments(ARG "RECURSE" "" "LINK_LIBS;LINK_COMPONENTS" ${ARGN})
  set(mode GLOB)
  if(ARG_RECURSE)
    set(mode GLOB_RECURSE)
  endif()
  file(${mode} sources RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS *.cpp)
  add_mlir_library(${name}
    ${sources}
    EXCLUDE_FROM_LIBMLIR
    DISABLE_INSTALL
    DEPENDS
      CoCoNetIncGen
      CoCoNetPassesIncGen
      CoCoNetTransformOpsIncGen
    LINK_COMPONENTS ${ARG_LINK_COMPONENTS}
    LINK_LIBS PUBLIC ${ARG_LINK_LIBS})
endfunction()
