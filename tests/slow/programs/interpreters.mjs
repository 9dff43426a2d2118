/**
 * Lua, awk and jq for WASI, from Debian's sources. Their own build systems know no WASI; the few files are compiled
 * here, with what its libc leaves out in `shim/`.
 *
 * @module
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { cache, run, sourceOf } from "./debian.mjs"

const shim = fileURLToPath(new URL("shim/", import.meta.url))

const compiler = [
  "--target=wasm32-wasi",
  "-O2",
  "-s",
  "-w",
  ...["-I", shim, "-include", join(shim, "libc.h")],
  ...["SIGNAL", "PROCESS_CLOCKS", "GETPID"].map((name) => `-D_WASI_EMULATED_${name}`),
  // setjmp(3) takes exceptions: clang 19 is the first here that has them right.
  ...["-mexception-handling", "-mllvm", "-wasm-enable-sjlj"],
  // The linker's default is 64 KiB, with the data below; jq calls itself 10,000 deep, for which 4 MiB are too little.
  ...["-Wl,-z,stack-size=16777216", "-Wl,--stack-first"],
]
const libraries = [
  "-lm",
  ...["signal", "process-clocks", "getpid"].map((name) => `-lwasi-emulated-${name}`),
]

/**
 * @param {string} folder
 * @param {ReadonlyArray<string>} files
 * @param {ReadonlyArray<string>} [flags]
 */
const compile = (folder, files, flags = []) => {
  const shims = ["libc.c", "sjlj.c"].map((name) => join(shim, name))
  run(folder, "clang-19", [
    ...compiler,
    ...flags,
    "-o",
    "program.wasm",
    ...files,
    ...shims,
    ...libraries,
  ])
}

const lua = (/** @type {string} */ folder) => {
  const source = join(folder, "src")
  compile(
    source,
    readdirSync(source).filter((name) => name.endsWith(".c") && name !== "luac.c"),
    [
      "-DLUA_COMPAT_5_3",
      "-Dl_popen(L,c,m)=(fflush(NULL),popen(c,m))",
      "-Dl_pclose(L,f)=pclose(f)",
      "-Dl_inspectstat(status,what)=status=(status>>8)&255;",
    ],
  )
  return join(source, "program.wasm")
}

const awk = (/** @type {string} */ folder) => {
  run(folder, "bison", ["-d", "-b", "awkgram", "awkgram.y"])
  run(folder, "gcc", ["-w", "maketab.c", "-o", "maketab"])
  run(folder, "sh", ["-c", "./maketab awkgram.tab.h > proctab.c"])
  const files = [
    "awkgram.tab",
    "b",
    "main",
    "parse",
    "proctab",
    "tran",
    "lib",
    "run",
    "lex",
  ]
  compile(folder, files.map((name) => `${name}.c`), ["-I."])
  return join(folder, "program.wasm")
}

/** What jq offers of libm: what WASI's has of it. */
const mathematics = "acos acosh asin asinh atan2 atan atanh cbrt ceil copysign cos cosh drem erf erfc exp10 exp2 exp " +
  "expm1 fabs fdim floor fma fmax fmin fmod frexp hypot j0 j1 jn ldexp lgamma log10 log1p log2 log logb modf lgamma_r " +
  "nearbyint nextafter nexttoward pow remainder rint round scalbln significand sin sinh sqrt tan tanh tgamma trunc y0 " +
  "y1 yn"
const there = "memmem mkstemp isatty strptime strftime timegm gmtime_r gmtime localtime_r localtime gettimeofday " +
  "tm_tm_gmt_off"
const jqFiles = "main builtin bytecode compile execute jq_test jv jv_alloc jv_aux jv_dtoa jv_file jv_parse jv_print " +
  "jv_unicode lexer linker locfile parser util"
const onigFiles = "regparse regcomp regexec regenc regerror regext regsyntax regtrav regversion st reggnu unicode " +
  "unicode_unfold_key unicode_fold1_key unicode_fold2_key unicode_fold3_key ascii utf8 utf16_be utf16_le utf32_be " +
  "utf32_le euc_jp euc_jp_prop sjis sjis_prop iso8859_1 iso8859_2 iso8859_3 iso8859_4 iso8859_5 iso8859_6 iso8859_7 " +
  "iso8859_8 iso8859_9 iso8859_10 iso8859_11 iso8859_13 iso8859_14 iso8859_15 iso8859_16 euc_tw euc_kr big5 gb18030 " +
  "koi8_r cp1251 onig_init"
const onigConfiguration = {
  SIZEOF_INT: 4,
  SIZEOF_LONG: 4,
  SIZEOF_LONG_LONG: 8,
  SIZEOF_VOIDP: 4,
  HAVE_ALLOCA_H: 1,
  HAVE_STDINT_H: 1,
  HAVE_INTTYPES_H: 1,
  HAVE_UNISTD_H: 1,
  HAVE_SYS_TYPES_H: 1,
  HAVE_SYS_TIME_H: 1,
}

const jq = (/** @type {string} */ folder, /** @type {string} */ onig) => {
  const regular = join(onig, "src")
  writeFileSync(
    join(regular, "config.h"),
    Object.entries(onigConfiguration).map(([name, value]) => `#define ${name} ${value}\n`).join(""),
  )
  const source = join(folder, "src")
  // The part of jq that is written in jq, as the text of a C string: what its Makefile does with sed.
  const lines = readFileSync(join(source, "builtin.jq"), "utf8").replace(
    /[\\"]/g,
    "\\$&",
  ).trimEnd().split("\n")
  writeFileSync(
    join(source, "builtin.inc"),
    lines.map((line) => `"${line}\\n"\n`).join(""),
  )
  writeFileSync(join(source, "version.h"), `#define JQ_VERSION "1.6"\n`)
  const names = (/** @type {string} */ list) => list.split(" ")
  compile(folder, [
    ...names(jqFiles).map((name) => join(source, `${name}.c`)),
    ...names(onigFiles).map((name) => join(regular, `${name}.c`)),
  ], [
    ...["-I", folder, "-I", source, "-I", regular],
    ...["-D_GNU_SOURCE", "-DHAVE_CONFIG_H", "-DIEEE_8087=1", "-DHAVE_LIBONIG"],
    ...names(`${mathematics} ${there}`).map((name) => `-DHAVE_${name.toUpperCase()}`),
  ])
  return join(folder, "program.wasm")
}

/**
 * Each by its name: the packages whose sources it is made of, and what makes it of copies of them.
 *
 * @type {Readonly<Record<string, { readonly packages: ReadonlyArray<string>, readonly make: (...folders: ReadonlyArray<string>) => string }>>}
 */
export const interpreters = {
  lua: { packages: ["lua5.4"], make: (folder = "") => lua(folder) },
  awk: { packages: ["original-awk"], make: (folder = "") => awk(folder) },
  jq: {
    packages: ["jq", "libonig"],
    make: (folder = "", onig = "") => jq(folder, onig),
  },
}

/** What all of them are made with, for the digest. */
export const recipe = () =>
  [
    fileURLToPath(import.meta.url),
    ...[
      "libc.h",
      "libc.c",
      "setjmp.h",
      "sjlj.c",
      "pthread.h",
      "pwd.h",
      "sys/wait.h",
      "lua5.4-deb-multiarch.h",
    ].map((
      name,
    ) => join(shim, name)),
  ].map((file) => readFileSync(file, "utf8")).join("\0")

/**
 * Builds one into a file.
 *
 * @param {string} name
 * @param {string} into
 */
export const buildInterpreter = (name, into) => {
  const { make, packages } = interpreters[name] ??
    { packages: [], make: () => "" }
  const work = join(cache, "work", name)
  rmSync(work, { recursive: true, force: true })
  mkdirSync(work, { recursive: true })
  const folders = packages.map((source) => {
    const copy = join(work, source)
    cpSync(sourceOf(source).folder, copy, { recursive: true })
    return copy
  })
  renameSync(make(...folders), into)
  rmSync(work, { recursive: true, force: true })
}
