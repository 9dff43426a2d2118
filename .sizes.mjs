import { rolldown } from "rolldown"
import { minifySync } from "rolldown/experimental"
import { gzipSync } from "node:zlib"
const input = process.argv[2]
const b = await rolldown({ input, platform: "node", logLevel: "silent", cwd: process.cwd(), external: /consoleAssets/ })
const { output } = await b.generate({ format: "esm", minify: false, codeSplitting: true })
const chunks = output.filter(p => p.type === "chunk")
const loaded = new Set(); const visit = n => { if (loaded.has(n)) return; loaded.add(n); for (const x of chunks.find(p=>p.fileName===n)?.imports ?? []) visit(x) }
for (const p of chunks) if (p.isEntry) visit(p.fileName)
const mods = []
for (const c of chunks) if (loaded.has(c.fileName)) for (const [id, m] of Object.entries(c.modules)) { const code = m.code ? minifySync("x.js", m.code, {mangle:true, compress:true}).code : ""; mods.push([code.length, gzipSync(code).length, id.replace(process.cwd()+"/","").replace("node_modules/","")]) }
mods.sort((a,b)=>b[0]-a[0])
const sum = f => mods.filter(f).reduce((s,m)=>[s[0]+m[0], s[1]+m[1]],[0,0]).join(" ")
console.log("effect", sum(m=>m[2].startsWith("effect/")), "ours", sum(m=>!m[2].startsWith("effect/")))
for (const m of mods.filter(m=>m[0]>250)) console.log(m.join("\t"))
