/**
 * Loaded into a bot before anything else (`node --import`): tells its parent the longest time for which its event loop was blocked since
 * it was last asked, and the most time of the processor that went by meanwhile, which other work on the machine does not lengthen.
 */
export interface LongestBlock {
  /** ms */
  wall: number;
  /** ms */
  cpu: number;
}

/** Between two looks, ms. */
const interval = 2;

const longest: LongestBlock = { wall: 0, cpu: 0 };
let at = performance.now();
let used = process.threadCpuUsage();

setInterval(() => {
  const now = performance.now();
  const { user, system } = process.threadCpuUsage(used);
  longest.wall = Math.max(longest.wall, now - at - interval);
  longest.cpu = Math.max(longest.cpu, (user + system) / 1000);
  at = now;
  used = process.threadCpuUsage();
}, interval).unref();

process.on("message", () => {
  process.send?.({ ...longest });
  longest.wall = 0;
  longest.cpu = 0;
});
process.channel?.unref();
