compeer_test(app/launch LINK compeer::front)
compeer_test(app/progress LINK compeer::front)
