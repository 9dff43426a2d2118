import { chromium } from "playwright-core"
const b = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] })
const pages = process.argv.slice(2)
for (const scheme of ["light", "dark"]) for (const width of [1280, 390]) {
  const c = await b.newContext({ colorScheme: scheme, viewport: { width, height: width === 390 ? 844 : 900 } })
  const p = await c.newPage()
  p.on("request", r => { if (!r.url().startsWith("http://localhost:8765") && !r.url().startsWith("data:")) console.log("external", r.url()) })
  p.on("pageerror", e => console.log("error", e.message))
  for (const u of pages) { await p.goto("http://localhost:8765/" + u, { waitUntil: "networkidle" }); await p.screenshot({ path: `/tmp/h/${u.replace(/\W/g, "_") || "index"}-${scheme}-${width}.png` })
   const o = await p.evaluate(() => document.documentElement.scrollWidth - innerWidth); if (o > 0) console.log(u, scheme, width, "overflow", o) }
}
await b.close()
