import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import { existsSync, rmSync } from "node:fs"
import { ShellExec } from "../../src/command/ShellExec.ts"
import { AccessPolicy } from "../../src/policy/mod.ts"
import { Shell } from "../../src/shell/Shell.ts"
import { KernelShell } from "../../src/sandbox/mod.ts"
import { workshop } from "../support/workshop.ts"
import { said, type Settings, told } from "./support.ts"

const listed = "awk cat echo env find git grep head ls printf pwd sed seq sort tr true uniq wc xargs".split(" ")

const policy: Settings = { allowedCommands: listed }

/** What bash says of a script itself. */
const bash = (script: string, cwd: string): string => {
  const { stderr, stdout } = spawnSync("bash", ["-c", script, "bash"], { cwd, encoding: "utf8" })
  return stdout + stderr
}

/** Scripts as people and models write them. */
const everyday = [
  "ls -a | sort | head -n 2",
  'for f in *.txt; do echo "== $f"; cat "$f"; done',
  'n=$(ls | wc -l); echo "$n files"',
  "i=0; while [ $i -lt 3 ]; do echo $i; i=$((i + 1)); done",
  "for ((i = 0; i < 3; i++)); do printf '%s\\n' \"$i\"; done",
  "if [ -f one.txt ] && [ ! -d nope ]; then echo yes; else echo no; fi",
  "cd sub && pwd | tr a-z A-Z | wc -c",
  'grep -c . one.txt || echo none; echo "exit $?"',
  "find . -name '*.txt' -exec wc -c {} + | sort",
  "find . -type f | xargs grep -l two | sort",
  "cat <<'EOF' | sed 's/a/b/g'\nbanana $HOME\nEOF",
  "cat <<EOF\n$(head -c 3 one.txt) and ${#HOME}\nEOF",
  'greet() { local who=$1; echo "hello $who"; }; greet world; greet "you all"',
  "set -euo pipefail; ls nope 2>/dev/null || true; echo on",
  'a=(x y z); for e in "${a[@]}"; do echo -n "$e "; done; echo ${#a[@]}',
  "case $(cat one.txt) in one*) echo first ;; *) echo other ;; esac",
  "seq 5 | awk '{ s += $1 } END { print s }'",
  "while IFS= read -r line; do echo \"[$line]\"; done <<< $'a\\nb'",
  'while IFS=: read -r a b; do echo "$b $a"; done <<< "x:y"',
  "(cd sub; ls); { echo a; echo b; } | sort -r",
  'x=${UNSET_VARIABLE:-fallback}; echo "${x^^}" ${x%back} ${x/f/F}',
  "LC_ALL=C sort one.txt two.txt | uniq -c | sed 's/^ *//'",
  "trap 'echo bye' EXIT; eval 'echo evaluated'; echo last",
  "time_=1; [[ $time_ == 1 && -n x ]] && echo matched",
  "printf -v out '%03d' 7; echo \"$out\"; echo {a,b}{1..2}",
  "export GREETING=hi; env | grep ^GREETING; GREETING=there env | grep ^GREETING",
  "ls >/dev/null 2>&1; echo $?; exec 3>&1; echo three >&3",
]

it.live("runs everyday scripts as bash does", () =>
  Effect.gen(function* () {
    const shop = yield* workshop
    shop.write("one.txt", "one\n")
    shop.write("two.txt", "two\ntwo\n")
    shop.write("sub/three.txt", "three\n")
    const found: Array<string> = []
    for (const script of everyday) found.push(yield* said(policy, script, { cwd: shop.directory }))
    expect(found).toEqual(everyday.map((script) => bash(script, shop.directory)))
  }))

/** What dash says otherwise, or runs otherwise: `ls &>x` there runs `ls` in the background and empties `x`. */
const differences = [
  "echo $'a\\x62'",
  "echo {1..3} {a,b}",
  "[[ abc == a* ]] && echo yes",
  "(( 2 > 1 )) && echo yes",
  "function f { echo f; }; f",
  "cat <(echo x)",
  "echo out &>/dev/null; echo $?",
  "ls /nope |& wc -l",
  "a=(1 2); echo ${a[1]}",
  "echo 'a\\nb'",
  "cat <<< here",
  "x=abc; echo ${x:1:1} ${x//b/-}",
  'echo $"text" >/dev/null; echo a',
]

it.live("reads a script as bash does, and not as other shells do", () =>
  Effect.gen(function* () {
    const shop = yield* workshop
    const found: Array<string> = []
    for (const script of differences) found.push(yield* said(policy, script, { cwd: shop.directory }))
    expect(found).toEqual(differences.map((script) => bash(script, shop.directory)))
  }))

it.live("starts without files, functions and options that this process has in its environment", () =>
  Effect.gen(function* () {
    const shop = yield* workshop
    const file = shop.write("first", "echo read first\n")
    const mine = { BASH_ENV: file, ENV: file, SHELLOPTS: "xtrace", BASHOPTS: "expand_aliases", POSIXLY_CORRECT: "1" }
    const variables: Readonly<Record<string, string>> = { ...mine, "BASH_FUNC_ls%%": "() { echo function; }" }
    const before = Object.keys(variables).map((name) => [name, process.env[name]] as const)
    yield* Effect.acquireRelease(
      Effect.sync(() => Object.assign(process.env, variables)),
      () =>
        Effect.sync(() => {
          for (const [name, value] of before) {
            if (value === undefined) delete process.env[name]
            else process.env[name] = value
          }
        }),
    )
    const inheriting: Settings = { ...policy, environment: { inherit: ["*"] } }
    const text = yield* said(inheriting, "ls first; [[ -o posix ]] || echo bash; echo end", {
      cwd: shop.directory,
    })
    expect(text).toBe("first\nbash\nend\n")
  }))

it.live("lets the functions at the beginning of a script call each other, and takes comments and last backslashes", () =>
  Effect.gen(function* () {
    const calls = 'set -eu\nreadonly name=you\nmain() { greet; }\ngreet() { echo "hi $name"; }\nmain "$@"'
    expect(yield* said(policy, calls)).toBe("hi you\n")
    expect(yield* said(policy, "echo a # and no more")).toBe("a\n")
    expect(yield* said(policy, "# nothing")).toBe("")
    expect(yield* said(policy, "echo a \\")).toBe(bash("echo a \\", "/"))
    expect(yield* said(policy, "f() { g; }; g() { echo g; }; f")).toBe("g\n")
  }))

it.live("lets a script keep variables that it does not export", () =>
  Effect.gen(function* () {
    expect(yield* said(policy, "CC=gcc; TMP=x; echo $CC $TMP; env | grep -c ^CC= || true")).toBe("gcc x\n0\n")
    for (const name of ["HOME", "PATH"]) {
      expect(yield* said(policy, `${name}=x; ls`)).toBe(`exec: the variable ${name} may not be set (NOT_ALLOWED)`)
    }
    expect(yield* said(policy, "CC=gcc; export CC; env")).toBe("exec: the variable CC may not be set (NOT_ALLOWED)")
    expect(yield* said(policy, "declare -x CC=gcc; env")).toBe("exec: the variable CC may not be set (NOT_ALLOWED)")
  }))

it.live("lets a script take variables away that every command has, and none that the policy or the server pins", () =>
  Effect.gen(function* () {
    const found = (script: string, settings: Settings = policy) => said(settings, script)
    expect(yield* found("unset HOME TERM; /usr/bin/env | grep -c -e ^HOME= -e ^TERM=")).toBe("0\n")
    expect(yield* found("env -i seq 2; env -u HOME seq 1")).toBe("1\n2\n1\n")
    // Programs are looked for where the policy says, and are given that path.
    const searchPath = "/usr/bin:/bin"
    expect(yield* found("unset PATH; seq 1; /usr/bin/env | grep ^PATH", { ...policy, searchPath }))
      .toBe(`1\nPATH=${searchPath}\n`)
    // What keeps git from programs of a repository is there all the same.
    const guarded = "git var GIT_EDITOR; git config --get core.fsmonitor; git config --get safe.bareRepository"
    expect(yield* found(`unset HOME PATH GIT_EDITOR GIT_CONFIG_COUNT; ${guarded}`)).toBe(yield* found(guarded))
    const git = "env -i git config --get safe.bareRepository"
    expect(yield* found(git)).toBe("explicit\n")
    for (
      const name of [
        "GIT_CONFIG_COUNT",
        "GIT_CONFIG_KEY_0",
        "GIT_EDITOR",
        "GIT_SSH_COMMAND",
        "SLUICE_RUN",
        "LD_PRELOAD",
      ]
    ) {
      const refused = `exec: the variable ${name} may not be set (NOT_ALLOWED)`
      expect(yield* told(policy, "seq", ["1"], { env: { [name]: null } })).toBe(refused)
    }
    const pinning: Settings = { ...policy, environment: { deny: ["HOME"] } }
    expect(yield* found("unset HOME; seq 1", pinning)).toBe("exec: the variable HOME may not be set (NOT_ALLOWED)")
  }))

it.live("lets no script take a variable away that the policy lets commands inherit besides", () =>
  Effect.gen(function* () {
    process.env["GIT_TEST_PINNED"] = "x"
    yield* Effect.addFinalizer(() => Effect.sync(() => delete process.env["GIT_TEST_PINNED"]))
    const inheriting: Settings = { ...policy, environment: { inherit: ["GIT_TEST_*", "PATH", "HOME"] } }
    const refused = "exec: the variable GIT_TEST_PINNED may not be set (NOT_ALLOWED)"
    expect(yield* said(inheriting, "unset GIT_TEST_PINNED; seq 1")).toBe(refused)
    expect(yield* said(inheriting, "env -i seq 1")).toBe(refused)
    expect(yield* said(inheriting, "seq 1")).toBe("1\n")
  }))

it.live("names the command, or the part of the language, that it refuses", () =>
  Effect.gen(function* () {
    const refusals: ReadonlyArray<readonly [script: string, message: string]> = [
      ["rm x", "rm is not among the allowed commands"],
      ["ls | tee x", "tee is not among the allowed commands"],
      ["x=rm; $x y", "rm is not among the allowed commands"],
      ["xargs rm <<< y", "rm is not among the allowed commands"],
      ["find . -maxdepth 0 -exec rm {} +", "rm is not among the allowed commands"],
      ["env A=1 rm y", "rm is not among the allowed commands"],
      ["./run.sh", `${process.cwd()}/./run.sh is not among the allowed commands`],
      ["ls > out.txt", "a script may not open out.txt: redirections to files are not allowed"],
      ["source env.sh", "a script may not open env.sh: redirections of files are not allowed"],
      ["PATH=.:$PATH ls", "the variable PATH may not be set"],
    ]
    for (const [script, message] of refusals) {
      const text = yield* said(policy, script)
      expect(text).toBe(`exec: ${message} (NOT_ALLOWED)`)
    }
  }))

it.live("opens files for redirections as far as the policy says", () =>
  Effect.gen(function* () {
    const shop = yield* workshop
    shop.write("in", "text\n")
    const run = (redirects: "none" | "read" | "all", script: string) =>
      said({ ...policy, redirects }, script, { cwd: shop.directory })
    const refused = (file: string, to: "to" | "of") =>
      `exec: a script may not open ${file}: redirections ${to} files are not allowed (NOT_ALLOWED)`
    for (const script of ["cat < in", 'x=in; cat < "$x"', "echo $(< in)", "mapfile < in", "source in"]) {
      expect([script, yield* run("none", script)]).toEqual([script, refused("in", "of")])
    }
    expect(yield* run("none", "ls nope > /dev/null 2>&1; cat < /dev/null; echo on >&2")).toBe("on\n")
    expect(yield* run("read", 'cat < in; x=in; cat < "$x"')).toBe("text\ntext\n")
    expect(yield* run("read", "cat in > out")).toBe(refused("out", "to"))
    expect(yield* run("all", 'cat in > out; x=more; cat in >> "./$x"; cat out ./more')).toBe("text\ntext\n")
    expect(yield* run("all", "ls > /dev/tcp/127.0.0.1/9")).toMatch(/^bash: line 1: .*: No such file or directory\n$/)
    expect(yield* run("all", "cat < /proc/self/environ")).toMatch(/^bash: line 1: .*: No such file or directory\n$/)
  }))

it.live("keeps scripts where directories are restricted from going elsewhere", () =>
  Effect.gen(function* () {
    const roots = { allowedCwdRoots: ["/usr"] }
    const none = "bash: line 1: cd: /tmp: No such file or directory\n"
    expect(yield* said({ ...policy, ...roots }, "cd /tmp", { cwd: "/usr" })).toBe(none)
    expect(yield* said({ ...policy, ...roots }, "cd /usr/bin; pwd", { cwd: "/usr" })).toBe("/usr/bin\n")
    expect(yield* said(policy, "cd /; pwd")).toBe("/\n")
  }))

it.live("runs scripts where there is no bash, and on leaves that have no files", () =>
  Effect.gen(function* () {
    const shop = yield* workshop
    shop.write("bin/tool", "#!/bin/sh\necho ran\n", 0o755)
    expect(yield* said({ allowedCommands: ["tool"], searchPath: shop.path("bin") }, "tool")).toBe("ran\n")
    const kernel = (settings: Settings, script: string) =>
      Shell.run(ShellExec.shell(script)).pipe(
        Effect.map(({ stdout }) => stdout),
        Effect.catchTag("ShellFault", ({ message }) => Effect.succeed(message)),
        Effect.provide(AccessPolicy.guard(AccessPolicy.make(settings))(KernelShell.layer)),
      )
    expect(yield* kernel({ allowedCommands: ["echo"] }, "echo a | cat")).toBe(
      "exec: cat is not among the allowed commands (NOT_ALLOWED)",
    )
    expect(yield* kernel({ allowedCommands: ["echo", "cat"] }, "echo a | cat")).toBe("a\n")
    expect(yield* kernel({ allowedCommands: ["echo"] }, "echo a > b")).toBe(
      "exec: a script may not open b: this shell cannot open files for scripts (NOT_ALLOWED)",
    )
  }))

/** Here-documents that bash ends where a substitution does, and texts that two readers may end in two places. */
const hidden = [
  ": $(: <<E\nE) ; touch M; (:\nE\n)",
  ": $(: <<'E'\nE) ; touch M; (:\nE\n)",
  ": $(: <<-'E'\n\tE) ; touch M; (:\nE\n)",
  ": $(: <<E\nEfoo) ; touch M; (:\nE\n)",
  "x=$(: <<E\nE) ; touch M; (:\nE\n)",
  ": <(: <<E\nE) ; touch M; (:\nE\n)",
  ": >(: <<E\nE) ; touch M; (:\nE\n)",
  'ls "$(: <<\'E\'\nE E)";touch M;: ": $(:: <<E\n\nE\n)"',
  ": $(ls <<''\n\\\n) && touch M\n$(touch M\n\n)",
  "ls <<X\n$(: <<E\nE) ; touch M; (:\nE\n)\nX",
  "[[ $(: <<E\nE) ; touch M; (:\nE\n) ]]",
  "case a in $(: <<E\nE) ; touch M; (:\nE\n)) ls ;; esac",
  "f() { : $(: <<E\nE) ; touch M; (:\nE\n); }; f",
  "ls ${x:-$(: <<E\nE) ; touch M; (:\nE\n)}",
  "eval ': $(: <<E\nE) ; touch M; (:\nE\n)'",
  "trap ': $(: <<E\nE) ; touch M; (:\nE\n)' EXIT",
  "eval \"eval ': \\$(: <<E\nE) ; touch M; (:\nE\n)'\"",
]

it.live("runs nothing that only another parser of here-documents would take for a command", () =>
  Effect.gen(function* () {
    const shop = yield* workshop
    const ran: Array<string> = []
    for (const script of hidden) {
      yield* said({ allowedCommands: ["ls"] }, script, { cwd: shop.directory })
      if (existsSync(shop.path("M"))) {
        ran.push(script)
        rmSync(shop.path("M"))
      }
    }
    expect(ran).toEqual([])
    // The mark that a script would leave.
    yield* said({ allowedCommands: ["touch"] }, ": $(touch M)", { cwd: shop.directory })
    expect(existsSync(shop.path("M"))).toBe(true)
  }))

it.live("runs the texts of eval and trap", () =>
  Effect.gen(function* () {
    const run = (script: string) => said(policy, script)
    expect(yield* run("eval 'echo a; echo b'; command eval 'echo c'")).toBe("a\nb\nc\n")
    expect(yield* run("trap 'echo \"bye $?\" # said' EXIT; trap -p EXIT >/dev/null; echo on")).toBe("on\nbye 0\n")
    expect(yield* run("eval 'f() { echo f; }\nx=1\nf; echo $x'")).toBe("f\n1\n")
    expect(yield* run("eval 'cat <<E\na $((1 + 1))\nE'")).toBe("a 2\n")
  }))

it.live("runs long scripts, up to the limit of the kernel's arguments", () =>
  Effect.gen(function* () {
    expect(yield* said(policy, `x=${"€".repeat(45_000)}; echo \${#x}`)).toBe("45000\n")
    expect(yield* said(policy, `: ${"x".repeat(3_000_000)}`)).toBe(
      "exec: the script could not be started: it is too long (E2BIG)",
    )
  }))

it.live("runs nothing in variables of arithmetic", () =>
  Effect.gen(function* () {
    const environment = { x: "a[$(id >&2)]", y: " 42 ", z: "-3" }
    const run = (script: string) => said(policy, script, { env: environment })
    expect(yield* run("echo $((y + z)) $((2 * z)) $(( empty )); for ((i = 40; i < y; i++)); do echo $i; done")).toBe(
      "39 -6 0\n40\n41\n",
    )
    expect(yield* run("[[ $y -gt 41 ]] && echo more; t='abcdef'; n=2; echo ${t:n:2} $((n += 1)) $((y > 41 ? n : z))"))
      .toBe(
        "more\ncd 3 3\n",
      )
    for (const script of ["echo $((x))", "x+=1; echo $((x))", "x[1]=2; echo $((x))", "(( x > 1 ))", "[[ $x -eq 1 ]]"]) {
      // Arithmetic of a value runs nothing.
      expect([script, yield* run(script)]).toEqual([
        script,
        expect.stringMatching(/^bash: line 1: .*syntax error.*\n$/),
      ])
    }
  }))

it.live("takes subscripts of associative arrays for texts", () =>
  Effect.gen(function* () {
    const count =
      'declare -A seen\nfor w in a b a; do seen[$w]+=x; done\nfor k in "${!seen[@]}"; do echo "$k ${seen[$k]}"; done'
    expect((yield* said(policy, count)).split("\n").sort()).toEqual(["", "a xx", "b x"])
    expect(yield* said(policy, "declare -A m=([a b]=1 ['c[$(id)]']=2); k='c[$(id)]'; echo ${m[a b]} ${m[$k]}")).toBe(
      "1 2\n",
    )
  }))

it.live("decides about the arguments that a program has when it starts", () =>
  Effect.gen(function* () {
    const shop = yield* workshop
    shop.write("s", "1\n3\n2\n")
    const run = (script: string) => said({ ...policy, redirects: "all" }, script, { cwd: shop.directory })
    expect(yield* run('f=s; sed -n 2p "$f"; sort -r "$f" | head -n 1; awk \'{ print "| " $1 }\' "$f" | head -n 1'))
      .toBe(
        "3\n3\n| 1\n",
      )
    expect(yield* run('f="--compress-program=id"; sort "$f" s')).toMatch(
      /^exec: sort is not allowed with .*NOT_ALLOWED/,
    )
    expect(yield* run("git -C . -c x=1 status")).toBe("exec: git is not allowed with -c x=1 (NOT_ALLOWED)")
  }))
