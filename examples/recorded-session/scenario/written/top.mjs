// Prints where the time goes in the newest profile under out/prof.
import { readdirSync, readFileSync } from "node:fs";

const file = readdirSync("out/prof").sort().at(-1);
const profile = JSON.parse(readFileSync(`out/prof/${file}`, "utf8"));
const names = new Map(profile.nodes.map((node) => [node.id, node.callFrame]));
const times = new Map();
profile.samples.forEach((id, index) => {
  const { functionName, url, lineNumber } = names.get(id);
  const place = `${functionName || "(anonymous)"} ${url.split("/").slice(-2).join("/")}:${lineNumber + 1}`;
  times.set(place, (times.get(place) ?? 0) + profile.timeDeltas[index]);
});
const total = [...times.values()].reduce((sum, time) => sum + time, 0);
[...times]
  .sort((a, b) => b[1] - a[1])
  .slice(0, 15)
  .forEach(([place, time]) => {
    const share = ((100 * time) / total).toFixed(1).padStart(5);
    console.log(`${share} % ${String(Math.round(time / 1000)).padStart(6)} ms  ${place}`);
  });
