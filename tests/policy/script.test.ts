import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { spawnSync } from "node:child_process"
import { existsSync, rmSync } from "node:fs"
import { delimiter } from "node:path"
import { ShellExec } from "../../src/command/ShellExec.ts"
import { AccessPolicy } from "../../src/policy/Policy.ts"
import { Shell } from "../../src/shell/Shell.ts"
import * as LocalShell from "../../src/leaves/local/LocalShell.ts"
import { output, serviceOf } from "../http/support.ts"
import { KernelShell } from "../../src/sandbox/mod.ts"
import { workshop } from "../support/workshop.ts"
import { said, type Settings } from "./support.ts"

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

it.live("runs the scripts of every day as bash does", () =>
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

it.live("hands a script to the shell whose language was read, and to no other", () =>
  Effect.gen(function* () {
    const shop = yield* workshop
    const found: Array<string> = []
    for (const script of differences) found.push(yield* said(policy, script, { cwd: shop.directory }))
    expect(found).toEqual(
      differences.map((script) =>
        script.includes('$"')
          ? "exec: the script has a text that is translated (NOT_ALLOWED)"
          : bash(script, shop.directory)
      ),
    )
  }))

it.live("starts bash without files, functions and options that this process has in its environment", () =>
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

it.live("tells bash where the names lead that were checked", () =>
  Effect.gen(function* () {
    const shop = yield* workshop
    shop.makeDirectory("early")
    shop.write("late/tool", "#!/bin/sh\necho late\n", 0o755)
    shop.write(
      "late/plant",
      `#!/bin/sh\nprintf '#!/bin/sh\\necho early\\n' >${shop.path("early/tool")}\nchmod 755 ${
        shop.path("early/tool")
      }\n`,
      0o755,
    )
    const searchPath = [shop.path("early"), shop.path("late"), process.env["PATH"]].join(delimiter)
    expect(yield* said({ allowedCommands: ["tool", "plant"], searchPath }, "plant; tool")).toBe("late\n")
  }))

it.live("ends a script where an expansion fails, so that what was to be defined is not looked for elsewhere", () =>
  Effect.gen(function* () {
    const failing = [
      "echo $((1 / 0)); id() { echo mine; }\nid",
      "shopt -s failglob; echo no-such-*; id() { echo mine; }\nid",
      "readonly r=1; r=2; id() { echo mine; }\nid",
      "i=$((1 / 0))\necho $((i))",
      "echo $((1 / 0)); i=0\necho $((i))",
      "eval 'echo $((1/0)); i=0\necho $((i))'",
      "eval 'echo $((1/0)); id() { echo mine; }\nid'",
    ]
    for (const script of failing) {
      const text = yield* said(policy, script, { env: { i: "a[$(id >&2)]" } })
      expect([script, text.replace(/^bash: line \d+: .*\n$/, "")]).toEqual([script, ""])
    }
  }))

it.live("lets the functions at the beginning of a script call each other, and takes comments and last backslashes", () =>
  Effect.gen(function* () {
    const calls = 'set -eu\nreadonly name=you\nmain() { greet; }\ngreet() { echo "hi $name"; }\nmain "$@"'
    expect(yield* said(policy, calls)).toBe("hi you\n")
    expect(yield* said(policy, "echo a # and no more")).toBe("a\n")
    expect(yield* said(policy, "# nothing")).toBe("")
    expect(yield* said(policy, "echo a \\")).toBe(bash("echo a \\", "/"))
    expect(yield* said(policy, "ls; f() { g; }; g() { ls; }; f")).toBe(
      "exec: g is not among the allowed commands (NOT_ALLOWED)",
    )
  }))

it.live("lets a script keep what no command is given", () =>
  Effect.gen(function* () {
    expect(yield* said(policy, "CC=gcc; TMP=x; echo $CC $TMP; env | grep -c ^CC= || true")).toBe("gcc x\n0\n")
    // Where the environment does not show it: bash is told that no command is given it.
    const decided = ShellExec.shell("CC=gcc; env")
    const files = yield* Effect.map(Shell, (shell) => shell.files).pipe(Effect.provide(LocalShell.layer))
    const asked: Array<string> = []
    const shell = yield* AccessPolicy.wrap(AccessPolicy.make(policy), {
      ...serviceOf(({ arguments: words, commandId }) => {
        asked.push(String(words[2]))
        return Stream.make(output(commandId))
      }),
      ...(files === undefined ? {} : { files }),
    })
    yield* Stream.runDrain(shell.exec(decided))
    expect(asked[0]).toMatch(/^\{ :; export -n CC; hash -p \S*\/env env; CC=gcc\nenv\n\n\}$/)
    for (const name of ["SLUICE_COMMAND", "HOME", "PATH", "PS4"]) {
      const refused = `exec: the variable ${name} may not be set (NOT_ALLOWED)`
      expect(yield* said(policy, `unset ${name}; ls`)).toBe(refused)
      expect(yield* said(policy, `${name}=x; ls`)).toBe(refused)
    }
    expect(yield* said(policy, "CC=gcc; export CC; env")).toBe("exec: the variable CC may not be set (NOT_ALLOWED)")
    expect(yield* said(policy, "declare -x CC=gcc; env")).toBe("exec: the variable CC may not be set (NOT_ALLOWED)")
  }))

it.live("names the command, or the part of the language, that it refuses", () =>
  Effect.gen(function* () {
    const refusals: ReadonlyArray<readonly [script: string, message: string]> = [
      ["ls; rm x", "rm is not among the allowed commands"],
      ["ls | tee x", "tee is not among the allowed commands"],
      ["x=rm; $x y", "a command's name is only known when it runs"],
      ["./run.sh", "./run.sh is a relative path: name the command, or its absolute path"],
      ["ls > out.txt", "out.txt may not be written by a redirection"],
      ["source env.sh", "the builtin source is not allowed in a script"],
      ["PATH=.:$PATH ls", "the variable PATH may not be set"],
      ["ls 'a", 'the script cannot be read (shell: line 1, column 4: found a quote without its end, expected "\'")'],
    ]
    for (const [script, message] of refusals) {
      const text = yield* said(policy, script)
      if (script === "ls 'a") {
        expect(text).toMatch(/^exec: the script cannot be read \(shell: line 1, column \d+: .*\) \(NOT_ALLOWED\)$/)
      } else expect(text).toBe(`exec: ${message} (NOT_ALLOWED)`)
    }
  }))

it.live("opens files for redirections as far as the policy says", () =>
  Effect.gen(function* () {
    const shop = yield* workshop
    shop.write("in", "text\n")
    const run = (redirects: "none" | "read" | "all", script: string) =>
      said({ ...policy, redirects }, script, { cwd: shop.directory })
    expect(yield* run("none", "cat < in")).toBe("exec: in may not be read by a redirection (NOT_ALLOWED)")
    expect(yield* run("read", "cat < in")).toBe("text\n")
    expect(yield* run("read", "cat in > out")).toBe("exec: out may not be written by a redirection (NOT_ALLOWED)")
    expect(yield* run("all", 'cat in > out; x=more; cat in >> "./$x"; cat out ./more')).toBe("text\ntext\n")
    expect(yield* run("all", "ls > $(ls)")).toBe("exec: the file of > is only known when it runs (NOT_ALLOWED)")
    expect(yield* run("read", 'x=in; cat < "$x"')).toBe("text\n")
    expect(yield* run("none", 'x=in; cat < "$x"')).toBe("exec: a file may not be read by a redirection (NOT_ALLOWED)")
    expect(yield* run("read", 'x=in; cat > "$x"')).toBe(
      "exec: a file may not be written by a redirection (NOT_ALLOWED)",
    )
    expect(yield* run("all", "ls > /dev/tcp/127.0.0.1/9")).toBe(
      "exec: /dev/tcp/127.0.0.1/9 is a connection, and no file (NOT_ALLOWED)",
    )
  }))

it.live("keeps scripts where directories are restricted from going elsewhere, unless cd is in the list", () =>
  Effect.gen(function* () {
    const roots = { allowedCwdRoots: ["/usr"] }
    expect(yield* said({ ...policy, ...roots }, "cd /tmp; pwd")).toBe("bash: cd: /tmp is not within an allowed root\n")
    expect(yield* said({ ...policy, ...roots }, "cd /usr/bin; pwd")).toBe("/usr/bin\n")
    expect(yield* said({ allowedCommands: [...listed, "cd"], ...roots }, "cd /; pwd")).toBe("/\n")
    expect(yield* said(policy, "cd /; pwd")).toBe("/\n")
  }))

it.live("runs no script where there is no bash, or where the leaf does not say how it reads one", () =>
  Effect.gen(function* () {
    const shop = yield* workshop
    shop.write("bin/tool", "#!/bin/sh\necho ran\n", 0o755)
    const none = yield* said({ allowedCommands: ["tool"], searchPath: shop.path("bin") }, "tool")
    expect(none).toBe("exec: scripts are not allowed where there is no bash (NOT_ALLOWED)")
    const kernel = (settings: Settings, script: string) =>
      Shell.run(ShellExec.shell(script)).pipe(
        Effect.map(({ stdout }) => stdout),
        Effect.catchTag("ShellFault", ({ message }) => Effect.succeed(message)),
        Effect.provide(AccessPolicy.guard(AccessPolicy.make(settings))(KernelShell.layer)),
      )
    const refused = "exec: scripts are not allowed on a leaf that has no bash of its own (NOT_ALLOWED)"
    expect(yield* kernel({ allowedCommands: ["echo"] }, "echo a")).toBe(refused)
    expect(yield* kernel({ allowedCommands: ["echo"], shell: "leaf" }, "echo a | cat")).toBe(
      "exec: cat is not among the allowed commands (NOT_ALLOWED)",
    )
    expect(yield* kernel({ allowedCommands: ["echo", "cat"], shell: "leaf" }, "echo a | cat")).toBe("a\n")
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

it.live("gives bash what was read, so that no text of a script ends elsewhere for bash", () =>
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

it.live("gives bash the texts of eval and trap as they were read", () =>
  Effect.gen(function* () {
    const run = (script: string) => said(policy, script)
    expect(yield* run("eval 'echo a; echo b'; command eval 'echo c'")).toBe("a\nb\nc\n")
    expect(yield* run("trap 'echo \"bye $?\" # said' EXIT; trap -p EXIT >/dev/null; echo on")).toBe("on\nbye 0\n")
    expect(yield* run("eval 'f() { echo f; }\nx=1\nf; echo $x'")).toBe("f\n1\n")
    expect(yield* run("eval 'cat <<E\na $((1 + 1))\nE'")).toBe("a 2\n")
  }))

it.live("refuses a script that becomes longer than bash can be given", () =>
  Effect.gen(function* () {
    expect(yield* said(policy, `echo ${"€".repeat(45_000)}`)).toMatch(
      /^exec: scripts are not allowed that are 135\d{3} bytes long when they are written out, above the 131071/,
    )
    expect(yield* said(policy, "echo {1..50}$(echo {1..50}$(echo {1..50}$(echo {1..50})))")).toBe(
      "exec: the script becomes longer than 131072 characters when it is written out (NOT_ALLOWED)",
    )
  }))

it.live("forces variables of arithmetic to be numbers, and runs nothing that they hold", () =>
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
      const text = yield* run(script)
      expect([script, text.includes("uid=")]).toEqual([script, false])
      expect(text).toMatch(/syntax error|value too great|not known/)
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
    const refused = /^exec: what bash would make of .* is not known \(NOT_ALLOWED\)$/
    expect(yield* said(policy, "m=(1); declare -A m=(['c[$(id)]']=2)")).toMatch(refused)
    expect(yield* said(policy, "f() { m[$1]=1; }; f 'c[$(id)]'; declare -A m")).toMatch(refused)
    expect(yield* said(policy, "declare -A m; unset m; m[$k]=1")).toMatch(refused)
  }))

it.live("writes the end of options before arguments that are not known", () =>
  Effect.gen(function* () {
    const shop = yield* workshop
    shop.write("-n", "dash\n")
    shop.write("s", "1\n3\n2\n")
    const run = (script: string) => said({ ...policy, redirects: "all" }, script, { cwd: shop.directory })
    expect(yield* run('f=-n; sed -e p "$f"; f=s; sed -n 2p "$f"; sort -r "$f" | head -n 1')).toBe("dash\ndash\n3\n3\n")
    expect(yield* run('f=-n; awk \'{ print "| " $1 }\' "$f"; ls | xargs sed -n 1p')).toBe("| dash\ndash\n")
    expect(yield* run('f=s; wc -l < "$f"; while read -r l; do echo $l; done < $f; f=/dev/tcp/127.0.0.1/9; cat < $f'))
      .toMatch(
        /^3\n1\n3\n2\nbash: line \d+: .*No such file or directory\n$/,
      )
    shop.write("repo/a", "a\n")
    const git = "git -C repo init -q; cd repo; git add a; git -c x=1 status"
    expect(yield* run(git)).toBe("exec: git is not allowed with -c (NOT_ALLOWED)")
  }))
