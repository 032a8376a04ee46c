# The spate command, one file without shared libraries of ours. The scenes of scenes/ are built in as presets.
file(GLOB tool_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/tool/*.c)
file(GLOB preset_scenes CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/scenes/*.json)
set(embed ${PROJECT_SOURCE_DIR}/scripts/embed-presets.sh)
set(presets ${PROJECT_BINARY_DIR}/presets.c)

add_custom_command(
  OUTPUT ${presets}
  COMMAND sh ${embed} ${presets} ${preset_scenes}
  DEPENDS ${embed} ${preset_scenes}
  COMMENT "Embedding the preset scenes"
  VERBATIM)

add_executable(spate_tool ${tool_sources} ${presets})
set_target_properties(spate_tool PROPERTIES OUTPUT_NAME spate)
target_include_directories(spate_tool PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(spate_tool PRIVATE spate_flags spate_io_static m)

# The manual page and the completions say what the command itself says.
set(manual ${PROJECT_BINARY_DIR}/spate.1)
set(bash_completion ${PROJECT_BINARY_DIR}/spate.bash)
set(zsh_completion ${PROJECT_BINARY_DIR}/_spate)
add_custom_command(
  OUTPUT ${manual} ${bash_completion} ${zsh_completion}
  COMMAND spate_tool help --man > ${manual}
  COMMAND spate_tool help --complete bash > ${bash_completion}
  COMMAND spate_tool help --complete zsh > ${zsh_completion}
  DEPENDS spate_tool
  VERBATIM)
add_custom_target(spate_manual ALL DEPENDS ${manual} ${bash_completion} ${zsh_completion})

# where `spate serve` finds the page that was installed with it
file(RELATIVE_PATH page_from_command
  ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_DATADIR}/spate/web)
target_compile_definitions(spate_tool PRIVATE SPATE_PAGE_FROM_COMMAND="${page_from_command}")
