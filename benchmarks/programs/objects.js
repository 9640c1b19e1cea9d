// Objects to JSON and back; the argument is the work in thousandths.
const rounds = Math.round(7 * Number(process.argv[2]));
let kept = 0;
for (let i = 0; i < rounds; i++) {
  const people = [];
  for (let k = 0; k < 16; k++) people.push({ id: i * 16 + k, name: `n${k}`, tags: ["a", "b"], at: { x: k, y: i } });
  for (const one of JSON.parse(JSON.stringify(people))) kept += one.at.x + one.tags.length;
}
console.log(kept);
