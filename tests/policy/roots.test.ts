import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs"
import { workshop } from "../support/workshop.ts"
import { said, type Settings } from "./support.ts"

const listed = "cat echo ls mkdir printf pwd sed sort wc git".split(" ")

/** A folder `root` that is allowed, a folder `outside` that is not. */
const places = Effect.map(workshop, (shop) => {
  shop.write("root/in", "text\n")
  shop.write("outside/secret", "secret\n")
  mkdirSync(shop.path("root/sub"))
  symlinkSync(shop.path("outside"), shop.path("root/away"))
  symlinkSync(shop.path("outside/secret"), shop.path("root/link"))
  const policy: Settings = { allowedCommands: listed, allowedCwdRoots: [shop.path("root")], redirects: "roots" }
  return { shop, run: (script: string) => said(policy, script, { cwd: shop.path("root") }) }
})

it.live("lets scripts read and write files below the roots by redirections, as bash does", () =>
  Effect.gen(function* () {
    const { run, shop } = yield* places
    expect(yield* run("cat > notes.md <<'EOF'\na $HOME\nEOF\necho x >> notes.md; cat < notes.md")).toBe("a $HOME\nx\n")
    expect(yield* run("mkdir -p new/deep && ls > new/deep/list && wc -l < new/deep/list")).toBe("6\n")
    expect(yield* run('f="a b"; echo 1 > "$f"; echo 2 > "$f"; cat "$f"; echo 3 > $f')).toBe(
      "2\nbash: ambiguous redirect\n",
    )
    expect(
      yield* run(
        '{ echo b; echo a; } > two; while read -r l; do echo "<$l>"; done < two; sort < two > two.sorted; cat two.sorted',
      ),
    )
      .toBe("<b>\n<a>\na\nb\n")
    expect(yield* run("echo e >&2 2> err; ls nope 2>> err; [ -s err ] && exec 3> three; echo via >&3; cat three")).toBe(
      "via\ne\n",
    )
    expect(
      yield* run(
        "set -euo pipefail; f() { echo f; } > out; f; cat out; echo all &> both; cat both; ls > /dev/null 2>&1",
      ),
    ).toBe(
      "f\nall\n",
    )
    expect(yield* run("eval 'echo in > eval'; trap 'echo bye > bye; cat bye' EXIT; cat eval")).toBe("in\nbye\n")
    expect(yield* run(`echo abs > ${shop.path("root/sub/abs")}; cat sub/abs; x=sub; echo y > "$x/y"; cat sub/y`)).toBe(
      "abs\ny\n",
    )
    expect(yield* run('ls nope 2> /dev/null; echo "s $?" > s 2> err; cat s; ls nope 2> err || echo "f $?" > s; cat s'))
      .toBe(
        "s 2\nf 2\n",
      )
    expect(yield* run("set -e; false || echo on > on; cat on; cat < nope; echo not here")).toBe(
      "on\nbash: nope: No such file or directory\n",
    )
  }))

it.live("keeps redirections below the roots, whatever leads elsewhere", () =>
  Effect.gen(function* () {
    const { run, shop } = yield* places
    const outside = "not within an allowed root"
    const refused: ReadonlyArray<readonly [script: string, why: string]> = [
      ["echo x > ../outside/new", outside],
      ["echo x > away/new", outside],
      ["echo x >> link", "no plain file"],
      ["cat < link", "no plain file"],
      ["cat < away/secret", outside],
      [`cat < ${shop.path("outside/secret")}`, outside],
      [`f=${shop.path("outside/new")}; echo x > "$f"`, outside],
      [`eval 'echo x > ../outside/new'`, outside],
      ["f() { echo x; } > ../outside/new; f", outside],
      ["mkdir -p .git; echo x > .git/config", outside],
      ["mkdir -p .git/hooks; echo x > .git/hooks/pre-commit", outside],
      ["echo x > .git", outside],
    ]
    for (const [script, why] of refused) {
      const text = yield* run(script)
      expect([script, text.includes(why), text.includes("secret\n")]).toEqual([script, true, false])
    }
    expect(readFileSync(shop.path("outside/secret"), "utf8")).toBe("secret\n")
    expect(existsSync(shop.path("outside/new"))).toBe(false)
    const tricks = [
      "SLUICE_FILE_1=x; echo x > a",
      "SLUICE_open() { :; }; echo x > a",
      "unset SLUICE_open",
      "set -T; trap 'SLUICE_P=../outside/new' DEBUG; echo x > a",
      "set -T; trap 'cat secret' DEBUG; cd ../outside",
      "trap 'set -- SLUICE_FILE_1 w ../outside/new; p=../outside/new' CHLD; ls | cat; for i in 1 2 3; do (ls > b); echo x > a; done; cat ../outside/new",
      "echo x > /dev/tcp/127.0.0.1/9",
    ]
    for (const script of tricks) {
      expect([script, /NOT_ALLOWED|not within|No such file/.test(yield* run(script))]).toEqual([script, true])
    }
  }))

it.live("opens no descriptor anew: what may only be read is not written by its other name", () =>
  Effect.gen(function* () {
    const { run, shop } = yield* places
    const read: Settings = { allowedCommands: ["echo", "cat"], redirects: "read" }
    for (
      const script of [
        "{ echo x > /dev/fd/5; } 5< secret",
        "{ echo x >> /dev/stdin; } < secret",
        "{ echo x >| /dev/stderr; } 2< secret",
        "{ echo x <> /dev/fd/5 >&0; } 5< secret",
        "{ echo x 1<> /dev/fd/5; } 5< secret",
        "{ echo x &> /dev/fd/5; } 5< secret",
        "{ echo x >& /dev/fd/5; } 5< secret",
      ]
    ) {
      yield* said(read, script, { cwd: shop.path("outside") })
      expect([script, readFileSync(shop.path("outside/secret"), "utf8")]).toEqual([script, "secret\n"])
    }
    mkdirSync(shop.path("root/.git"))
    shop.write("root/.git/config", "[core]\n")
    yield* run("{ echo x > /dev/fd/5; } 5< .git/config")
    expect(readFileSync(shop.path("root/.git/config"), "utf8")).toBe("[core]\n")
    expect(yield* run("echo a > /dev/stdout; echo b > /dev/stderr; echo c | cat < /dev/stdin; echo d 2> /dev/stdout"))
      .toBe("a\nc\nd\nb\n")
  }))

it.live("lets scripts change the directory below the roots, and ends one that leaves them", () =>
  Effect.gen(function* () {
    const { run, shop } = yield* places
    const root = shop.path("root")
    expect(yield* run("(cd sub && pwd); cd sub; cd ..; pwd; pushd sub > /dev/null; pwd; popd > /dev/null; ls -d in"))
      .toBe(
        `${root}/sub\n${root}\n${root}/sub\nin\n`,
      )
    expect(yield* run('set -eu; cd nope || echo no; cd sub && echo "$OLDPWD"')).toMatch(/no\n.*root\n/s)
    for (
      const script of ["cd ..; ls", "cd /; ls", "cd away; cat secret", "cd; ls", "pushd /tmp; ls", "cd sub/../..; ls"]
    ) {
      expect([script, yield* run(script)]).toEqual([
        script,
        expect.stringMatching(/bash: (cd|pushd): \S+ is not within an allowed root\n$|not set/),
      ])
    }
    expect(yield* run("trap 'cat secret' EXIT; cd ../outside")).not.toContain("secret\n")
    expect(yield* run("(trap 'cat secret' EXIT; cd ../outside); echo on")).not.toContain("secret\n")
    expect(yield* run("(cd /; ls); echo on")).toMatch(/^on\n.*not within an allowed root\n$/)
    expect(yield* run("builtin cd /")).toBe("exec: cd is not among the allowed commands (NOT_ALLOWED)")
    expect(yield* run("unset cd; cd /")).toBe("exec: unset would take away the function cd (NOT_ALLOWED)")
    expect(yield* run("cd() { :; }; cd /")).toBe("exec: a function may not have the name cd (NOT_ALLOWED)")
  }))

it.live("writes nothing outside while folders and files are swapped with links", () =>
  Effect.gen(function* () {
    const { run, shop } = yield* places
    mkdirSync(shop.path("root/real"))
    const swap = `cd "$1"; while :; do
      mv real swap; ln -s ../outside real; rm real; mv swap real
      echo x > f; rm f; ln -s ../outside/secret f; rm f
    done 2>/dev/null`
    const swapper = yield* Effect.acquireRelease(
      Effect.sync(() => spawn("bash", ["-c", swap, "bash", shop.path("root")], { stdio: "ignore" })),
      (child) =>
        Effect.callback<void>((resume) => {
          child.once("exit", () => resume(Effect.void))
          child.kill("SIGKILL")
        }),
    )
    yield* run("for ((i = 0; i < 1500; i++)); do echo hacked > real/new; echo hacked >> f; done 2>/dev/null")
    expect(swapper.exitCode).toBe(null)
    expect(readFileSync(shop.path("outside/secret"), "utf8")).toBe("secret\n")
    expect(existsSync(shop.path("outside/new"))).toBe(false)
  }))
