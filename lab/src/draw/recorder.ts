// Takes the calls that a canvas takes, as far as the plane makes them, and writes them down as SVG.

const escape = (text: string): string => text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
const px = (value: number): string => String(Number(value.toFixed(2)));

export class SvgRecorder {
  fillStyle = "#000";
  strokeStyle = "#000";
  lineWidth = 1;
  lineJoin = "miter";
  globalAlpha = 1;
  font = "11px sans-serif";
  textAlign = "left";
  textBaseline = "alphabetic";
  imageSmoothingEnabled = true;
  #dash: readonly number[] = [];
  #path = "";
  /** What `restore` goes back to, and how many groups it closes. */
  readonly #saved: { fillStyle: string; strokeStyle: string; lineWidth: number; globalAlpha: number; groups: number }[] = [];
  #clips = 0;
  readonly #parts: string[] = [];
  readonly #width: number;
  readonly #height: number;

  constructor(width: number, height: number) {
    this.#width = width;
    this.#height = height;
  }

  save(): void {
    const { fillStyle, strokeStyle, lineWidth, globalAlpha } = this;
    this.#saved.push({ fillStyle, strokeStyle, lineWidth, globalAlpha, groups: 0 });
  }

  restore(): void {
    const { groups, ...style } = this.#saved.pop() ?? { groups: 0 };
    Object.assign(this, style);
    this.#parts.push("</g>".repeat(groups));
  }

  /** To the current path, until `restore`. */
  clip(): void {
    const id = `clip${++this.#clips}`;
    this.#parts.push(`<clipPath id="${id}"><path d="${this.#path}"/></clipPath><g clip-path="url(#${id})">`);
    this.#saved[this.#saved.length - 1].groups++;
  }

  setLineDash(dash: readonly number[]): void {
    this.#dash = dash;
  }

  beginPath(): void {
    this.#path = "";
  }

  moveTo(x: number, y: number): void {
    this.#path += `M${px(x)} ${px(y)}`;
  }

  lineTo(x: number, y: number): void {
    this.#path += `${this.#path ? "L" : "M"}${px(x)} ${px(y)}`;
  }

  closePath(): void {
    this.#path += "Z";
  }

  /** A circle, or an arc of one. */
  arc(x: number, y: number, r: number, from: number, to: number): void {
    if (to - from < 2 * Math.PI - 1e-9) {
      const [ax, ay, bx, by] = [x + r * Math.cos(from), y + r * Math.sin(from), x + r * Math.cos(to), y + r * Math.sin(to)];
      this.#path += `${this.#path ? "L" : "M"}${px(ax)} ${px(ay)}A${px(r)} ${px(r)} 0 ${to - from > Math.PI ? 1 : 0} 1 ${px(bx)} ${px(by)}`;
      return;
    }
    this.#path += `M${px(x - r)} ${px(y)}a${px(r)} ${px(r)} 0 1 0 ${px(2 * r)} 0a${px(r)} ${px(r)} 0 1 0 ${px(-2 * r)} 0`;
  }

  rect(x: number, y: number, w: number, h: number): void {
    this.#path += `M${px(x)} ${px(y)}h${px(w)}v${px(h)}h${px(-w)}Z`;
  }

  fill(): void {
    this.#parts.push(`<path d="${this.#path}" fill="${this.fillStyle}"${this.#opacity()}/>`);
  }

  stroke(): void {
    const dash = this.#dash.length > 0 ? ` stroke-dasharray="${this.#dash.join(" ")}"` : "";
    this.#parts.push(
      `<path d="${this.#path}" fill="none" stroke="${this.strokeStyle}" stroke-width="${px(this.lineWidth)}" stroke-linejoin="round"${dash}${this.#opacity()}/>`,
    );
  }

  fillRect(x: number, y: number, w: number, h: number): void {
    this.#parts.push(`<rect x="${px(x)}" y="${px(y)}" width="${px(w)}" height="${px(h)}" fill="${this.fillStyle}"${this.#opacity()}/>`);
  }

  fillText(text: string, x: number, y: number): void {
    const anchor = { center: "middle", right: "end" }[this.textAlign] ?? "start";
    const baseline = { top: "text-before-edge", middle: "central", bottom: "text-after-edge" }[this.textBaseline] ?? "auto";
    this.#parts.push(
      `<text x="${px(x)}" y="${px(y)}" style="font: ${escape(this.font)}" text-anchor="${anchor}" dominant-baseline="${baseline}" fill="${this.fillStyle}">${escape(text)}</text>`,
    );
  }

  drawImage(image: HTMLCanvasElement, x: number, y: number, w: number, h: number): void {
    this.#parts.push(
      `<image x="${px(x)}" y="${px(y)}" width="${px(w)}" height="${px(h)}" preserveAspectRatio="none" href="${image.toDataURL()}"/>`,
    );
  }

  #opacity(): string {
    return this.globalAlpha < 1 ? ` opacity="${px(this.globalAlpha)}"` : "";
  }

  text(): string {
    const [w, h] = [px(this.#width), px(this.#height)];
    return (
      `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}">` +
      `<clipPath id="edge"><rect width="${w}" height="${h}"/></clipPath><g clip-path="url(#edge)">${this.#parts.join("\n")}</g></svg>\n`
    );
  }
}
