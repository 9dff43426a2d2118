import { Sandbox } from "@sluice/shell/kernel"
import { Effect } from "effect"
const script = await Deno.readTextFile("/tmp/kregex/date.sh")
for (const tz of ["UTC", "Europe/Berlin", "America/New_York"]) {
  const r = await Effect.runPromise(Effect.scoped(Effect.flatMap(Sandbox.make({ env: { TZ: tz, LC_ALL: "C" } }), (s) => s.run(script))))
  const real = new TextDecoder().decode(new Deno.Command("bash", { args: ["/tmp/kregex/date.sh"], env: { TZ: tz, LC_ALL: "C" } }).outputSync().stdout)
  const [a, b] = [r.stdout.split("\n"), real.split("\n")]
  b.forEach((line, i) => { if (line !== a[i]) console.log(tz, "| GNU", line, "| ours", a[i]?.split("=>")[1]) })
}
for (const s of ['1d;1,3p', '1,2d;1,3p', '1,2d;2,3p', '1,3d;1,3p', '1,4d;1,3p', '1,3d;1,2p', '1d;1,/3/p', '1,3d;1,/3/p', '1,3d;1,/5/p', '1d;1,+2p', '1,2d;1,+2p', '1,3d;1,+2p', '1d;1~2,4p', '1d;1,~4p', '1,4d;1,~4p', '$!N;1,3p', 'N;N;2,4p', 'N;N;2,2p', 'N;N;1,2p', '1d;1,$p', '1,3d;2,1p', 'N;N;2,+1p', '0~3d;3,5p', '/2/d;2,4p;2,4=', '1d;1,3!p', '1d;1,3{p}', '2d;1,2p', '1d;1,2s/./x/p','5,2p','2,4p;3,1p','0,/1/p','0,/3/d;p','2,3{d};2,5p','2q;1,3p']) {
  const cmd = `seq 8 | sed -n '${s}'; seq 3 > a; seq 5 > b; sed -s -n '${s}' a b`
  const r = await Effect.runPromise(Effect.scoped(Effect.flatMap(Sandbox.make(), (x) => x.run(cmd))))
  const real = new TextDecoder().decode(new Deno.Command("bash", { args: ["-c", "cd $(mktemp -d); " + cmd] }).outputSync().stdout)
  if (real !== r.stdout) console.log("sed", s, JSON.stringify(real), JSON.stringify(r.stdout), r.stderr)
}
