import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from "node:fs"
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
      "2\nbash: line 1: $f: ambiguous redirect\n",
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
      "on\nbash: line 1: nope: No such file or directory\n",
    )
  }))

it.live("keeps redirections below the roots, whatever leads elsewhere", () =>
  Effect.gen(function* () {
    const { run, shop } = yield* places
    const outside = /not within an allowed root \(NOT_ALLOWED\)$/
    // Where a link leads outside, there is nothing; what git would run is not written.
    const [missing, held] = [
      /^bash: line 1: .*: No such file or directory\n$/,
      /^bash: line 1: .*: Operation not permitted\n$/,
    ]
    const refused: ReadonlyArray<readonly [script: string, why: RegExp]> = [
      ["echo x > ../outside/new", outside],
      ["echo x > away/new", missing],
      ["echo x >> link", missing],
      ["cat < link", missing],
      ["cat < away/secret", missing],
      [`cat < ${shop.path("outside/secret")}`, outside],
      [`f=${shop.path("outside/new")}; echo x > "$f"`, outside],
      [`eval 'echo x > ../outside/new'`, outside],
      ["f() { echo x; } > ../outside/new; f", outside],
      ["mkdir -p .git; echo x > .git/config", held],
      ["mkdir -p .git/hooks; echo x > .git/hooks/pre-commit", held],
      ["echo x > .envrc", held],
    ]
    for (const [script, why] of refused) {
      const text = yield* run(script)
      expect([script, text]).toEqual([script, expect.stringMatching(why)])
      expect([script, text.includes("secret\n")]).toEqual([script, false])
    }
    expect(readFileSync(shop.path("outside/secret"), "utf8")).toBe("secret\n")
    expect(existsSync(shop.path("outside/new"))).toBe(false)
    const tricks = [
      "set -T; trap 'cat secret' DEBUG; cd ../outside",
      "trap 'cat ../outside/new' CHLD; ls | cat; echo x > ../outside/new",
      "echo x > /dev/tcp/127.0.0.1/9",
    ]
    for (const script of tricks) {
      expect([script, /NOT_ALLOWED|not within|No such file/.test(yield* run(script))]).toEqual([script, true])
    }
  }))

it.live("makes no second name for a file that git would run, and opens no file by a link of a readable folder", () =>
  Effect.gen(function* () {
    const { run, shop } = yield* places
    shop.write("root/.git/config", "[core]\n")
    shop.write("root/.envrc", "e\n")
    const contained: Settings = {
      allowedCommands: ["ln", "cp", "cat", "mv"],
      allowedCwdRoots: [shop.path("root")],
      redirects: "roots",
      utilities: "contained",
    }
    for (
      const script of ["ln .git/config cfg", "cp -l .envrc cfg", "ln .envrc cfg", "cp -al .git cfg", "mv .envrc cfg"]
    ) {
      yield* said(contained, `${script}; cat >> cfg/config <<< x; cat >> cfg <<< x`, { cwd: shop.path("root") })
      expect([script, readFileSync(shop.path("root/.git/config"), "utf8")]).toEqual([script, "[core]\n"])
      expect([script, readFileSync(shop.path("root/.envrc"), "utf8")]).toEqual([script, "e\n"])
    }
    expect(yield* run("ls > l; cat l")).toContain("in\n")
    const readable: Settings = { allowedCommands: ["cat"], readable: [shop.path("root")] }
    const options = { cwd: shop.path("root") }
    expect(yield* said(readable, "cat < in", options)).toBe("text\n")
    for (const script of ["cat < link", "cat < away/secret", "source link", "mapfile < link"]) {
      expect([script, yield* said(readable, script, options)]).toEqual([
        script,
        expect.not.stringContaining("secret\n"),
      ])
    }
  }))

it.live("does not change the machine's own folders where all files may be redirected", () =>
  Effect.gen(function* () {
    const { shop } = yield* places
    const before = statSync("/").mode
    const missing = shop.path("missing")
    const all: Settings = {
      allowedCommands: ["cat"],
      allowedCwdRoots: [shop.path("root")],
      redirects: "all",
      readable: [missing],
    }
    expect(yield* said(all, "cat < in", { cwd: shop.path("root") })).toBe("text\n")
    expect([statSync("/").mode, existsSync(missing)]).toEqual([before, false])
  }))

it.live("does not reopen a descriptor: a read-only one is not written through /dev/fd", () =>
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

it.live("lets scripts change the directory below the roots, and starts nothing outside of them", () =>
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
      const text = yield* run(script)
      expect([script, text]).toEqual([
        script,
        expect.stringMatching(/is not within an allowed root \(NOT_ALLOWED\)$|No such file or directory\n/),
      ])
      expect([script, text.includes("secret\n")]).toEqual([script, false])
    }
    expect(yield* run("trap 'cat secret' EXIT; cd ../outside")).not.toContain("secret\n")
    expect(yield* run("(trap 'cat secret' EXIT; cd ../outside); echo on")).not.toContain("secret\n")
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
