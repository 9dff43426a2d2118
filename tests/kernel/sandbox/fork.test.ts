import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { memory, overlay, Sandbox } from "@sluice/shell/sandbox"
import { failureOf, stdoutOf, withSandbox } from "./support.ts"

it.live("a fork has the files and the shell's state, and both change on their own", () =>
  withSandbox((sandbox) =>
    Effect.scoped(Effect.gen(function* () {
      yield* sandbox.run(
        'x=5; list=(a "b c"); export Y=six; f() { echo "f $1"; }; alias ll="ls -l"; mkdir -p /tmp/in; cd /tmp/in; set -u; trap "echo bye" EXIT; echo one > a',
      )
      const fork = yield* sandbox.fork
      const script = 'echo "$x ${list[1]} $Y $PWD $- ${-//[^u]}"; f hi; cat a; trap; type -t f'
      expect(yield* stdoutOf(fork, script)).toBe(yield* stdoutOf(sandbox, script))
      yield* fork.run("x=6; list+=(d); f() { echo other; }; echo two > a; cd /")
      yield* sandbox.run("x=7; echo three >> a; Y=seven")
      expect(yield* stdoutOf(fork, 'echo "$x ${#list[@]} $Y $PWD"; f; cat /tmp/in/a')).toBe("6 3 six /\nother\ntwo\n")
      expect(yield* stdoutOf(sandbox, 'echo "$x ${#list[@]} $Y $PWD"; f hi; cat a')).toBe(
        "7 2 seven /tmp/in\nf hi\none\nthree\n",
      )
      const second = yield* fork.fork
      expect(yield* stdoutOf(second, "echo $x; cat /tmp/in/a")).toBe("6\ntwo\n")
    }))
  ))

it.live("forks of one moment have variables of their own", () =>
  withSandbox((sandbox) =>
    Effect.scoped(Effect.gen(function* () {
      yield* sandbox.run("n=0; add() { n=$((n + $1)); }")
      const forks = yield* Effect.all(Array.from({ length: 5 }, () => sandbox.fork), { concurrency: "unbounded" })
      yield* Effect.forEach(forks, (fork, at) => fork.run(`add ${at}; unset -f add`), { concurrency: "unbounded" })
      const values = yield* Effect.forEach(forks, (fork) => stdoutOf(fork, "echo $n"))
      expect(values).toEqual(["0\n", "1\n", "2\n", "3\n", "4\n"])
      expect(yield* stdoutOf(sandbox, "add 1; echo $n")).toBe("1\n")
    }))
  ))

it.live("waits for the run of the sandbox, and takes none of its processes", () =>
  withSandbox((sandbox) =>
    Effect.scoped(Effect.gen(function* () {
      const run = yield* Effect.forkChild(sandbox.run("sleep 0.2; x=done; sleep 60 & jobs | wc -l"))
      yield* Effect.yieldNow
      const fork = yield* sandbox.fork
      expect((yield* Fiber.join(run)).stdout).toBe("1\n")
      expect(yield* stdoutOf(fork, "echo $x; jobs; wait; echo $?")).toBe("done\n0\n")
    }))
  ))

it.live("a fork lives on when its original is closed, and a closed sandbox is not forked", () =>
  Effect.scoped(Effect.gen(function* () {
    const scope = yield* Scope.make()
    const sandbox = yield* Scope.provide(Sandbox.make({ files: { a: "kept\n" } }), scope)
    const fork = yield* sandbox.fork
    yield* Scope.close(scope, Exit.void)
    expect(yield* stdoutOf(fork, "cat a")).toBe("kept\n")
    expect((yield* failureOf(Effect.scoped(sandbox.fork))).reason._tag).toBe("Closed")
  })))

it.live("the changes of an overlay are forked, and limits count for each fork", () =>
  withSandbox(
    (sandbox) =>
      Effect.scoped(Effect.gen(function* () {
        yield* sandbox.run("head -c 600000 /dev/zero > /data/a; head -c 600000 /dev/zero > b")
        const fork = yield* sandbox.fork
        const more =
          "head -c 600000 /dev/zero > c 2>/dev/null || echo full; rm b; head -c 600000 /dev/zero > c && echo fits"
        expect(yield* stdoutOf(fork, more)).toBe("full\nfits\n")
        expect(yield* stdoutOf(fork, "rm /data/a; ls /data; wc -c < c")).toBe("600000\n")
        expect(yield* stdoutOf(sandbox, "ls /data; wc -c < b")).toBe("a\n600000\n")
      })),
    { mounts: { "/data": overlay(memory()) }, limits: { maxTotalFileBytes: 1_000_000 } },
  ))

it.live("a thousand forks of 100 MB keep little more than one", () =>
  withSandbox((sandbox) =>
    Effect.scoped(Effect.gen(function* () {
      const content = new Uint8Array(1_000_000)
      for (let at = 0; at < 100; at++) yield* sandbox.writeFile(`/tree/${at % 10}/${at}`, content)
      const before = process.memoryUsage()
      const forks = yield* Effect.forEach(Array.from({ length: 1000 }), () => sandbox.fork)
      yield* Effect.forEach(forks.slice(0, 100), (fork, at) => fork.writeFile(`/tree/1/${at}`, "changed"))
      const after = process.memoryUsage()
      const used = (after.rss - before.rss) / 1000
      // Without sharing a fork keeps 100 MB. The collector decides when what a fork needed for a moment is given back.
      expect(used).toBeLessThan(300_000)
      expect(yield* stdoutOf(sandbox, "du -sb --apparent-size /tree/1 | cut -f1")).toBe(
        yield* stdoutOf(forks[999] ?? sandbox, "du -sb --apparent-size /tree/1 | cut -f1"),
      )
    }))
  ))
