/** Generated scripts by hand: `generated.fixture.ts [SEED] [SECONDS] [SETTINGS as JSON]`. Without a seed it takes the time. */
import { runGenerated } from "./generated.ts"

const [seed = String(Date.now() % 1_000_000), seconds = "60", settings = "{}"] = process.argv.slice(2)
console.log(`seed ${seed}`)
const { escapes, troubles, ...counts } = await runGenerated(Number(seed), Number(seconds), {
  settings: JSON.parse(settings),
})
console.log(JSON.stringify({ ...counts, escapes: escapes.length, troubles: troubles.length }))
for (const text of [...escapes, ...troubles].slice(0, 100)) console.log(text)
process.exitCode = escapes.length + troubles.length === 0 ? 0 : 1
