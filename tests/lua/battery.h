#pragma once
#include "lua/sandbox.h"

namespace compeer::lua {

// A script that tries to escape the sandbox, to loop forever or to exhaust memory.
struct Nasty {
  const char* name;     // name of the test case
  const char* text;     // the script
  const char* problem;  // part of the error message that must end it
};

// Lower limits than the defaults, so that the tests are quick.
inline const Limits few_instructions{size_t{96} << 20, size_t{24} << 20, 5'000'000, 3};
inline const Limits little_memory{size_t{32} << 20, size_t{8} << 20, 50'000'000, 3};
// Error messages of scripts that exceed these limits.
inline const char* const endless = "the script needs more than 5000000 instructions";
inline const char* const hungry = "the script needs more than 32 MiB of memory";

// All such scripts.
inline const Nasty battery[] = {
    // Escape attempts
    {"Io", "io.open('/etc/passwd')", "scripts have no 'io'"},
    {"Os", "os.execute('true')", "scripts have no 'os'"},
    {"Package", "package.loadlib('x', 'y')", "scripts have no 'package'"},
    {"Debug", "debug.sethook()", "scripts have no 'debug'"},
    {"Dofile", "dofile('/etc/passwd')", "scripts have no 'dofile'"},
    {"Loadfile", "loadfile('/etc/passwd')", "scripts have no 'loadfile'"},
    {"Collectgarbage", "collectgarbage('stop')", "scripts have no 'collectgarbage'"},
    {"GlobalTable", "_G.io.open('x')", "scripts have no 'io'"},
    {"GlobalMetatable", "getmetatable(_G).__index = nil", "attempt to index a boolean value"},
    {"GlobalRawget", "rawget(_G, 'os').exit()", "attempt to index a nil value"},
    {"Environment", "local _ENV = {} ; print('x')", "attempt to call a nil value (global 'print')"},
    {"LoadedTable", "require('_G').io.write('x')", "there is no module '_G'"},
    {"Dump", "string.dump(function() end)", "string has no 'dump'"},
    {"DumpOfText", "(''):dump()", "string has no 'dump'"},
    {"Bytecode", "local f, e = load('\\27Lua') ; error(e, 0)", "attempt to load a binary chunk (mode is 't')"},
    {"BytecodeByMode", "assert(load('\\27LuaS', 'x', 'b'))", "attempt to load a binary chunk (mode is 't')"},
    {"BytecodeByPieces", "local n = 0 ; assert(load(function() n = n + 1 ; return n == 1 and '\\27' or nil end))",
     "attempt to load a binary chunk"},
    {"StringMetatable", "getmetatable('').__index = nil", "attempt to index a boolean value"},
    {"Finalizer", "setmetatable({}, {__gc = function() while true do end end})", "a script's tables can't have '__gc'"},
    {"CoroutineClose", "coroutine.close(coroutine.create(print))", "coroutine has no 'close'"},
    {"Pointer", "print(string.format('%p', {}))", "string.format has no '%p'"},
    {"RequireAbsolute", "require '/etc/passwd'", "'/etc/passwd' can't be required"},
    {"RequireParent", "require '../secret'", "'../secret' can't be required"},
    {"RequireDots", "require '..secret'", "'..secret' can't be required"},
    {"RequireNul", "require 'a\\0b'", "can't be required"},
    {"RequireSlash", "require 'lib/x'", "'lib/x' can't be required"},
    {"ErrorMetatable", "local _, e = pcall(math.random, 2, 1) ; getmetatable(e).__gc(e)", "attempt to index a boolean"},
    // Infinite loops
    {"While", "while true do end", endless},
    {"Goto", "::again:: goto again", endless},
    {"Recursion", "local function f() return f() end f()", endless},
    {"Pcall", "while true do pcall(function() while true do end end) end", endless},
    {"PcallOfError", "while true do pcall(error, 'x') end", endless},
    {"PcallDeep", "local function f() pcall(f) ; while true do end end f()", endless},
    {"Xpcall", "while true do xpcall(function() while true do end end, function(e) return e end) end", endless},
    {"XpcallHandler", "xpcall(function() while true do end end, function() while true do end end)", endless},
    {"HandlerAlone", "xpcall(error, function() while true do end end)", endless},
    {"Coroutine", "while true do coroutine.wrap(function() while true do end end)() end", endless},
    {"CoroutineResume", "while true do coroutine.resume(coroutine.create(function() while true do end end)) end",
     endless},
    {"CoroutineYields",
     "local c = coroutine.wrap(function() while true do coroutine.yield() end end) while true do c() end", endless},
    {"PcallInCoroutine", "coroutine.wrap(function() while true do pcall(function() while true do end end) end end)()",
     endless},
    {"YieldOutOfPcall",
     "local c = coroutine.wrap(function() while true do pcall(coroutine.yield) end end) while true do c() end",
     endless},
    {"Close", "while true do local x <close> = setmetatable({}, {__close = function() while true do end end}) end",
     endless},
    {"CloseHidesError",
     "pcall(function() local x <close> = setmetatable({}, {__close = function() error('mine') end}) while true do end "
     "end)",
     endless},
    {"Load", "while true do load('while true do end')() end", endless},
    {"LoadPieces", "load(function() return ' ' end)", endless},
    {"Metamethod", "local t = setmetatable({}, {__index = function(t, k) while true do end end}) print(t.x)", endless},
    {"ToString", "tostring(setmetatable({}, {__tostring = function() while true do end end}))", endless},
    {"Sort", "table.sort({3, 2, 1}, function() while true do end end)", endless},
    {"TableMove", "table.move({}, 1, math.maxinteger - 1, 2)", endless},
    {"TableConcat", "table.concat(setmetatable({}, {__index = rawlen}), '', 1, 1 << 60)", endless},
    {"TableInsert", "table.insert(setmetatable({}, {__len = function() return 1 << 60 end}), 1, 0)", endless},
    {"TableRemove", "table.remove(setmetatable({}, {__len = function() return 1 << 60 end}), 1)", endless},
    {"TableSort", "table.sort(setmetatable({}, {__len = function() return 1 << 60 end}))", endless},
    {"Find", "print(string.find(string.rep('a', 5000), string.rep('a-', 20) .. 'b'))", endless},
    {"Match", "print((string.rep('a', 5000)):match('.-.-.-.-.-.-b'))", endless},
    {"Gsub", "print((string.rep('a', 5000)):gsub('.-.-.-.-.-.-b', ''))", endless},
    {"Gmatch", "for _ in (string.rep('a', 5000)):gmatch('.-.-.-.-.-.-b') do end", endless},
    {"Balanced", "print((string.rep('(', 100000)):find('%b()'))", endless},
    {"Frontier", "while true do (string.rep('x', 1000)):find('%f[%d]') end", endless},
    {"Print", "while true do print() end", endless},
    {"NextLoop", "local t = {} for i = 1, 1e5 do t[i] = i end while true do next(t) end", endless},
    // Memory exhaustion
    {"Doubling", "local s = 'x' while true do s = s .. s end", hungry},
    {"Tables", "local t = {} while true do t[#t + 1] = {} end", hungry},
    {"Keys", "local t, i = {}, 0 while true do i = i + 1 ; t['k' .. i] = i end", hungry},
    {"Closures", "local f = function() end while true do local g = f ; f = function() return g end end", hungry},
    {"PcallOfMemory", "local s = 'x' while true do pcall(function() s = s .. s end) end", hungry},
    {"CoroutineOfMemory",
     "while true do coroutine.resume(coroutine.create(function() local s = 'x' while true do s = s .. s end end)) end",
     hungry},
    {"Coroutines", "local t = {} while true do t[#t + 1] = coroutine.create(print) end", hungry},
    {"Pack", "local s = string.pack('c2000000000', 'x')", hungry},
    {"Rep", "string.rep('x', 1e9 // 1 | 0)", "the result of string.rep is too large"},
    {"RepOverflow", "string.rep('xx', math.maxinteger)", "the result of string.rep is too large"},
    {"RepSeparator", "string.rep('', 1 << 40, 'x')", "the result of string.rep is too large"},
    {"GsubGrows", "string.gsub(string.rep('x', 1e6 // 1 | 0), 'x', string.rep('y', 1000))", "string.gsub is too large"},
    {"GsubRepeats", "string.gsub(string.rep('x', 4e6 // 1 | 0), '.*', string.rep('%0', 300))",
     "string.gsub is too large"},
    {"GsubWithinGsub",
     "local s = string.rep('x', 6e6 // 1 | 0) .. 'y' local function f() string.gsub(s, 'y$', f) end f()", hungry},
    {"PrintRepeats",
     "local s, t = string.rep('x', 6e6 // 1 | 0), {} for i = 1, 200 do t[i] = s end print(table.unpack(t))", hungry},
    {"SortOfNothing", "table.sort(setmetatable({}, {__len = function() return 40000000 end}))", hungry},
    {"PairsOfMany", "local t = {} for i = 1, 1 << 19 do t[i] = true end pairs(t)", hungry},
    {"LoadRepeats", "local s = string.rep(' ', 6e6 // 1 | 0) load(function() return s end)", hungry},
    {"OwnErrors",
     "local t, s = {}, string.rep('x', 6e6 // 1 | 0) while true do t[#t + 1] = "
     "select(2, pcall(function() return _ENV[s] end)) end",
     hungry},
    // Stack overflow
    {"StackOverflow", "local function f() return 1 + f() end f()", "stack overflow"},
    {"StackOfPcalls", "local function f() pcall(f) ; error('x') end f()", "x"},
    {"StackOfTostring", "local t t = setmetatable({}, {__tostring = function() return tostring(t) end}) tostring(t)",
     "C stack overflow"},
    {"StackOfSort", "local function f() table.sort({1, 2}, f) end f()", "C stack overflow"},
    {"StackOfGsub", "local function f() string.gsub('a', 'a', f) end f()", "C stack overflow"},
    {"StackOfCoroutines", "local function f() coroutine.wrap(f)() end f()", "C stack overflow"},
    {"StackOfPatterns", "string.find('a', string.rep('a?', 300) .. 'b')", "pattern too complex"},
    {"StackOfMetatables", "local t = {} for i = 1, 3000 do t = setmetatable({}, {__index = t}) end print(t.x)",
     "'__index' chain too long; possible loop"},
    {"Parentheses", "load(string.rep('(', 1e5 // 1 | 0))() ", "attempt to call a nil value"},
    {"Unpack", "print(table.unpack({}, 1, 1e8 // 1 | 0))", "too many results to unpack"},
    {"Pattern", "('x'):find(string.rep('a', 1e6 // 1 | 0) .. '.')", "a pattern can't be longer"},
};

}  // namespace compeer::lua
