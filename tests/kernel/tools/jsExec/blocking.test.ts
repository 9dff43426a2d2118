import { expect, it } from "@effect/vitest"
import { loadEngine } from "../../../../src/kernel/tools/jsExec/loadEngine.ts"
import { Script } from "../../../../src/kernel/tools/jsExec/Script.ts"
import type { Program } from "../../../../src/kernel/System.ts"
import { Sandbox } from "../../../../src/sandbox/mod.ts"

/** Runs its argument as on a runtime without JSPI. */
const blocking: Program = async (system) => {
  const [, code = ""] = system.args
  const script = await Script.make(system, await loadEngine(), undefined, 67_108_864, { argv: [], version: "v24.0.0" })
  await script.runText("[eval]", code, false)
  return script.finish()
}

const run = async (script: string): Promise<string> => {
  await using sandbox = await Sandbox.open({ programs: { blocking }, timeout: "60 seconds" })
  const { stderr, stdout } = await sandbox.run(script, { check: false })
  return stdout + stderr
}

it("where nothing can be suspended, scripts have files, modules, timers and input that is awaited", async () => {
  expect(
    await run(`echo text > f; echo 'module.exports = 5' > m.js; echo '(' > wrong.js
blocking 'console.log(fs.readFileSync("f", "utf8"), require("./m"), fs.readdirSync(".")); setTimeout(() => console.log("timer"), 1); try { require("./wrong") } catch (e) { console.log(e.name) }'
echo input | blocking '(async () => { for await (const piece of process.stdin) console.log(String(piece)) })()'; blocking 'console.log(fs.readFileSync(0, "utf8"))' < f`),
  )
    .toBe("text\n 5 [ 'f', 'm.js', 'wrong.js' ]\nSyntaxError\ntimer\ninput\n\ntext\n\n")
})

it("where nothing can be suspended, a pipe is not read at once, and output is bounded", async () => {
  expect(await run("echo input | blocking 'try { fs.readFileSync(0) } catch (error) { console.log(error.code) }'"))
    .toBe("EAGAIN\n")
  expect(
    await run(
      `blocking 'const piece = Buffer.alloc(1e6, "x"); try { for (;;) process.stdout.write(piece) } catch (error) { console.error(error.message) }' | wc -c`,
    ),
  )
    .toBe("16000000\nENOBUFS: no buffer space available, write\n")
})
