import { compareWith } from "./compare.ts"

const wget = (title: string, scripts: ReadonlyArray<string>, isQuiet?: boolean) =>
  compareWith("wget", `wget ${title}`, scripts, isQuiet)

/** Replaces times, speeds and addresses in wget's messages, and takes out its progress. */
const tidy = String
  .raw`2>&1 | sed -E -e 's/[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8}/TIME/; s/\([0-9.,]+ [KMG]?B\/s\)/(SPEED)/; s/Reusing existing connection to (.*)\.$/Connecting to \1... connected./' -e '/^ *[0-9]+K /d' | cat -s`

wget(
  "downloads, quietly",
  [
    "wget -q $U/a -O -",
    "wget -q $U/a; ls",
    "wget -q $U/a; wget -q $U/a; ls",
    "wget -q -P sub $U/deep/name.txt",
    "wget -q $U/ $U/folder/",
    "wget -q '$U/q?a=b'; wget -q \"$U/q?a=b\"",
    "wget -q -O both.txt $U/a $U/b",
    "printf '%s/a\\n%s/b\\n' $U $U | wget -q -i - -O -",
    "wget -q --header 'X-A: 1' --header='Accept: text/x' -U me --referer=http://x/ $U/a -O -",
    "wget -q --post-data 'a=1' $U/a -O -",
    "wget -q --post-file data.txt $U/a -O -",
    "wget -q --method=PUT --body-data=x $U/a -O -; wget -q --method=DELETE $U/a -O -",
  ].filter((script) => !script.includes("--user=")),
)

wget("follows redirects, continues and compares times", [
  "wget -q $U/to/302/a -O -",
  "wget -q --post-data x=1 $U/to/302/a -O -",
  "wget -q --post-data x=1 $U/to/307/a -O -",
  "wget -q --max-redirect=0 $U/to/302/a -O -",
  "head -c 100 part.txt > long; wget -q -c $U/long; wc -c < long",
  "wget -q $U/dated; date -r dated +%s; wget -q -N $U/dated; ls",
  "wget -q --spider $U/a; echo $?; wget -q --spider $U/status/404",
  "wget -q -nc $U/a; wget -q -nc $U/a; ls",
  "wget -q $U/chunked $U/closed; cat chunked closed",
])

wget("fails with its exit codes", [
  "wget -q $U/status/404 -O -",
  "wget -q $U/status/500 -O none.txt",
  "wget -q -t 1 http://127.0.0.1:1/",
  "wget -q -t 1 $U/empty -O -",
  "wget -q -t 1 $U/short -O x",
  "wget -q -t 1 -T 1 $U/silent -O -",
  "wget -q ftpx://example.org/",
  "wget -q $U/status/404 $U/a -O -",
])

wget("says what it does as wget", [
  `wget $U/a ${tidy}`,
  `wget $U/long -O x ${tidy}`,
  `wget -nv $U/a ${tidy}`,
  `wget -nv $U/status/404 ${tidy}`,
  `wget $U/status/404 ${tidy}`,
  `wget -S $U/a -O - ${tidy}`,
  `wget $U/to/302/a ${tidy}`,
  `wget --spider $U/a ${tidy}`,
  `wget -nv --spider $U/a ${tidy}`,
  `wget -nv --spider $U/status/404 ${tidy}`,
  `wget $U/chunked ${tidy}`,
  `wget ${tidy}`,
  "wget --nonsense 2> /dev/null",
  `wget -t 1 http://127.0.0.1:1/ ${tidy}`,
])
