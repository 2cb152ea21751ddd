#version 300 es
// Light from beside the eye on a surface that is coloured by a value or by its part.
precision highp float;
precision highp int;

in vec3 stillPlace, place, turnedNormal, deflection;
in float stress;

uniform vec3 eye, color;
uniform int paint; // 0 color, 1 |u|, 2 to 4 components of u, 5 stress, 6 color without light
uniform float low, high, opacity;
uniform sampler2D ramp;

out vec4 pixel;

// The smooth normal belongs to the undeformed surface. The triangle has turned from a to b: turn the normal likewise.
vec3 turned(vec3 normal) {
  vec3 a = cross(dFdx(stillPlace), dFdy(stillPlace)), b = cross(dFdx(place), dFdy(place));
  float sizes = length(a) * length(b);
  if (!(sizes > 1e-30)) return normal;
  float cosine = dot(a, b) / sizes;
  if (cosine < -0.9) return normal;
  vec3 axis = cross(a, b) / sizes;
  return normalize(normal * cosine + cross(axis, normal) + axis * dot(axis, normal) / (1.0 + cosine));
}

float value() {
  if (paint == 1) return length(deflection);
  if (paint == 5) return stress;
  return deflection[paint - 2];
}

void main() {
  if (paint == 6) {
    pixel = vec4(color, opacity);
    return;
  }
  vec3 toEye = normalize(eye - place);
  vec3 normal = turned(normalize(turnedNormal));
  if (dot(normal, toEye) < 0.0) normal = -normal;
  vec3 base = color;
  if (paint > 0) base = texture(ramp, vec2(clamp((value() - low) / (high - low), 0.002, 0.998), 0.5)).rgb;
  vec3 toLight = normalize(toEye + vec3(0.3, 0.1, 0.5));
  float direct = max(dot(normal, toLight), 0.0);
  float shine = pow(max(dot(normal, normalize(toLight + toEye)), 0.0), 50.0);
  pixel = vec4(base * (0.42 + 0.62 * direct) + 0.10 * shine, opacity);
}
