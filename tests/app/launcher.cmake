compeer_test(app/launch LINK compeer::front)
compeer_test(app/progress LINK compeer::front)

# These resolve real experiments, so they need the plugins.
get_property(launcher_plugins GLOBAL PROPERTY compeer_plugins)
foreach(name lua_docs run)
  compeer_test(app/${name} LINK compeer::front)
  add_dependencies(test_app_${name} compeer ${launcher_plugins})
endforeach()
