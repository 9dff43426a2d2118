import { Sandbox } from "@sluice/shell/kernel"
import { Effect } from "effect"
const cases = [`printf '%1000000000d' 1 | wc -c`, `printf '%-3000000d|' 5 | md5sum`, `printf '%03000000d|' -5 | md5sum`, `printf '%.3000000d|' -5 | md5sum`, `printf '%3000000.2500000d|' -5 | md5sum`, `printf '%-3000000.2500000x|' 255 | md5sum`, `printf '%#03000000x|' 255 | md5sum`, `printf '%3000000s|%s\\n' é b | md5sum`, `printf '%03000000f|' 1.5 | md5sum`, `printf '%99999999999d' 1; echo $?`, `printf -v x '%100000s' y; echo \${#x}`, `printf '%+03000000d' 7 | md5sum`, `printf '%s,' {1..5000} | md5sum`, `printf '\\303\\251'|xxd -p`, `printf '%5s|%-5s|%05d|%x\\n' a b 3 255`, `printf '%-20000q|' 'a b' | md5sum`, `printf '%20000b|' 'a\\tb' | md5sum`, `printf ''; echo $?`, `printf '%d' x; echo $?`, `printf '%020000f' inf | md5sum`]
for (const c of cases) {
  const t = performance.now()
  const r = await Effect.runPromise(Effect.scoped(Effect.flatMap(Sandbox.make(), (s) => s.run(c))))
  const real = new TextDecoder().decode(new Deno.Command("bash", { args: ["-c", c], env: { LC_ALL: "C.UTF-8" } }).outputSync().stdout)
  console.log(r.stdout === real ? "same" : "DIFF", c, r.stdout === real ? "" : [real.slice(0, 80), r.stdout.slice(0, 80), r.stderr], (performance.now() - t | 0))
}
