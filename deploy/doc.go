// Package deploy makes what docker-compose.yml needs and nobody else may know: passwords, keys and certificates, each in a file of its own
// ([WriteSecrets]). Beside it lie the settings of the servers, which its tests hold against the programs.
package deploy
